/** The items in their order, each once. */
export const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];
