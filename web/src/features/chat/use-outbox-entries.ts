import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useChat } from './chat-context.tsx';
import type { OutboxSnapshot } from './outbox.ts';

const NOTHING: OutboxSnapshot = { entries: [], isLasting: true };
const NOT_LOADED = { getSnapshot: () => NOTHING, subscribe: () => () => undefined };

/** The outbox's snapshot for all channels; empty until the outbox is loaded. */
export const useOutboxSnapshot = (): OutboxSnapshot => useSnapshot(useSnapshot(useChat()) ?? NOT_LOADED);
