// Imported by the worker that reads files, so this file must not import the contract's code (bundle size).

export const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const;
export const SEPARATORS = [';', ',', '\t'] as const;

/** Options of reading a file; 'found': as its content suggests. */
export interface ReadOptions {
  /** For text files only. */
  encoding: 'found' | (typeof ENCODINGS)[number];
  delimiter: 'found' | (typeof SEPARATORS)[number];
  /** 'marks' enclose a cell; 'letters' are part of it. */
  quotes: 'marks' | 'letters';
  /** Whether there is a row of titles; without one, the first row is data. */
  header: 'found' | 'none';
}

export const AS_FOUND: ReadOptions = { encoding: 'found', delimiter: 'found', quotes: 'marks', header: 'found' };
