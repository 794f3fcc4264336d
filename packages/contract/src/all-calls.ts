import * as auth from './auth.ts';
import type { Call } from './call.ts';
import * as channels from './channels.ts';
import * as transfer from './transfer.ts';
import * as users from './users.ts';

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'reply' in value;

const exported: Record<string, unknown> = { ...auth, ...channels, ...transfer, ...users };

/** Every call of the contract, by its name: what the fuzzing, the access tests and the API reference go through. */
export const allCalls: Readonly<Record<string, Call>> = Object.fromEntries(
  Object.entries(exported).filter((entry): entry is [string, Call] => isCall(entry[1])),
);
