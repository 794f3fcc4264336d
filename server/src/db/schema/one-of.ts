import { customType } from 'drizzle-orm/pg-core';

/**
 * A text column with the values that this version knows. A newer version may have stored another value before a roll-back. It is
 * read as `otherwise`, so one row breaks no list, and stays stored until somebody changes it.
 */
export const oneOf = <const Value extends string, Otherwise extends Value | null>(
  name: string,
  values: readonly Value[],
  otherwise: Otherwise,
) =>
  customType<{ data: Value; driverData: string }>({
    dataType: () => 'text',
    // If `otherwise` is null, the column's type includes null.
    fromDriver: (stored) => values.find((value) => value === stored) ?? (otherwise as Value),
  })(name);
