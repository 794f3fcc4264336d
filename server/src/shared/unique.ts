/** The items in their order, without duplicates. */
export const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];
