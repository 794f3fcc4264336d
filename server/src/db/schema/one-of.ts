import { customType } from 'drizzle-orm/pg-core';

/**
 * A text column whose values this version knows. A newer version may have stored another one before a roll-back: that is read
 * as `otherwise`, so that one row breaks no list. It stays as it is until somebody changes it.
 */
export const oneOf = <const Value extends string, Otherwise extends Value | null>(
  name: string,
  values: readonly Value[],
  otherwise: Otherwise,
) =>
  customType<{ data: Value; driverData: string }>({
    dataType: () => 'text',
    // Where `otherwise` is null, so is the column's type.
    fromDriver: (stored) => values.find((value) => value === stored) ?? (otherwise as Value),
  })(name);
