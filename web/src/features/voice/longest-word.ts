/** Letters of the longest word of a name: a word broken in two is harder to read than a smaller one. */
export const longestWord = (name: string): number => Math.max(...name.split(/[\s-]+/u).map((word) => word.length));
