import type { LoggedType } from '@pressel/contract/activity-types';

/** The columns of the workbook, in their order. */
export const SHEET_COLUMNS = [
  'localTime',
  'act',
  'user',
  'target',
  'channel',
  'details',
  'address',
  'type',
  'createdAt',
  'userId',
  'targetId',
  'channelId',
] as const;
export interface LogWorkbookWords {
  sheet: string;
  header: readonly string[];
  /** An act in words, by its type. */
  acts: Readonly<Record<LoggedType, string>>;
  timeZone: string;
}
