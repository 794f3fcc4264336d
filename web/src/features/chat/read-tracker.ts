import { markMessagesRead } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import type { Api } from '#src/shared/api/api.ts';
import { errorCodeOf, isUnreachable } from '#src/shared/api/api-error.ts';
import { retryAfterMs } from '#src/shared/api/retry-after.ts';

/** A message counts as read after this long on the screen, ms. */
export const LOOK_MS = 500;
/** Marks are collected for this long before they are sent, ms. */
export const COLLECT_MS = 1_000;

/** Marks that could not be sent are sent again after this, ms. */
const AGAIN_MS = 5_000;

/** Numbers of messages, both ends included. */
export interface NumberRange {
  from: number;
  to: number;
}

/** Tells the server which messages the user really looked at [CHATS10]. */
export interface ReadTracker {
  /** Sets the messages on the screen now; undefined if there are none, or nobody looks. */
  show(range: NumberRange | undefined): void;
  setLive(isLive: boolean): void;
  /** Sends the remaining marks. */
  close(): void;
}

export interface ReadTrackerDeps {
  api: Pick<Api, 'call'>;
  channelId: ChannelId;
  onRead: (readUpTo: number, unread: number) => void;
}

export function createReadTracker({ api, channelId, onRead }: ReadTrackerDeps): ReadTracker {
  let shown: NumberRange | undefined;
  /** The range that stayed on the screen since the last look. */
  let steady: NumberRange | undefined;
  let looking: ReturnType<typeof setTimeout> | undefined;
  let collecting: ReturnType<typeof setTimeout> | undefined;
  let isLive = false;
  let isSending = false;
  let pending: readonly NumberRange[] = [];
  let sent: readonly NumberRange[] = [];

  const send = async (): Promise<void> => {
    collecting = undefined;
    if (!isLive || isSending) return;
    const [range] = pending;
    if (range === undefined) return;
    isSending = true;
    try {
      const { readUpTo, unread } = await api.call(markMessagesRead, { channelId, ...range });
      finish(range);
      onRead(readUpTo, unread);
    } catch (error) {
      // Kept for later. Refused marks are not sent again.
      const afterMs = waitAfter(error);
      if (afterMs === null) finish(range);
      else collecting = setTimeout(() => void send(), afterMs);
    } finally {
      isSending = false;
    }
    sendSoon();
  };
  const finish = (range: NumberRange): void => {
    sent = withRange(sent, range);
    pending = withoutRange(pending, range);
  };
  const sendSoon = (): void => {
    if (isLive && pending.length > 0) collecting ??= setTimeout(() => void send(), COLLECT_MS);
  };
  const read = (range: NumberRange): void => {
    for (const part of withoutRange([range], ...sent)) pending = withRange(pending, part);
    sendSoon();
  };

  const look = (): void => {
    looking ??= setTimeout(() => {
      looking = undefined;
      if (steady !== undefined) read(steady);
      const isAllRead = steady !== undefined && steady.from === shown?.from && steady.to === shown.to;
      steady = shown;
      if (shown !== undefined && !isAllRead) look();
    }, LOOK_MS);
  };

  return {
    show(range) {
      shown = range;
      // Messages that scroll past are not read.
      steady = looking === undefined ? range : common(steady, range);
      if (range !== undefined) look();
    },
    setLive(next) {
      isLive = next;
      sendSoon();
    },
    close() {
      clearTimeout(looking);
      clearTimeout(collecting);
      void send();
    },
  };
}

/** How long to wait before marks are sent again, ms; null when they were refused for good. */
function waitAfter(error: unknown): number | null {
  const code = errorCodeOf(error);
  if (!isUnreachable(error) && code !== 'too_many' && code !== 'too_slow') return null;
  return Math.max(AGAIN_MS, retryAfterMs(error));
}

function common(one: NumberRange | undefined, other: NumberRange | undefined): NumberRange | undefined {
  if (one === undefined || other === undefined) return undefined;
  const both = { from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) };
  return both.from <= both.to ? both : undefined;
}

/** Adds a range; ranges that touch become one. */
export function withRange(ranges: readonly NumberRange[], range: NumberRange): readonly NumberRange[] {
  const touches = (one: NumberRange) => one.from <= range.to + 1 && one.to >= range.from - 1;
  const touching = [range, ...ranges.filter(touches)];
  const joined = {
    from: Math.min(...touching.map(({ from }) => from)),
    to: Math.max(...touching.map(({ to }) => to)),
  };
  return [...ranges.filter((one) => !touches(one)), joined].sort((one, other) => one.from - other.from);
}

/** Removes ranges from others. */
export function withoutRange(ranges: readonly NumberRange[], ...out: readonly NumberRange[]): readonly NumberRange[] {
  return out.reduce<readonly NumberRange[]>(
    (left, { from, to }) =>
      left.flatMap((one) =>
        [
          { from: one.from, to: Math.min(one.to, from - 1) },
          { from: Math.max(one.from, to + 1), to: one.to },
        ].filter((part) => part.from <= part.to),
      ),
    ranges,
  );
}
