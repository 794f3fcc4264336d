/** Number of letters in a name's longest word: a broken word is harder to read than a smaller one. */
export const longestWord = (name: string): number => Math.max(...name.split(/[\s-]+/u).map((word) => word.length));
