import type { ServerEventName, ServerPayload } from '@pressel/contract/realtime';
import type { LinkState, Realtime } from '#src/shared/realtime/realtime.ts';

export interface RealtimeDouble extends Realtime {
  setLink(link: LinkState): void;
  tell<E extends ServerEventName>(event: E, payload: ServerPayload<E>): void;
}

/** A fake socket whose server events are emitted by the test. Acknowledges every event with 'unavailable'. */
export function createRealtimeDouble(): RealtimeDouble {
  let link: LinkState = 'up';
  const links = new Set<(link: LinkState) => void>();
  const handlers = new Map<string, Set<(payload: unknown) => void>>();
  return {
    send: async () => ({ ok: false, code: 'unavailable', params: {} }),
    on(event, handler) {
      const known = handlers.get(event) ?? new Set();
      handlers.set(event, known);
      known.add(handler as (payload: unknown) => void);
      return () => {
        known.delete(handler as (payload: unknown) => void);
      };
    },
    onLink(handler) {
      links.add(handler);
      handler(link);
      return () => {
        links.delete(handler);
      };
    },
    getSnapshot: () => link,
    subscribe(listener) {
      const handler = () => listener();
      links.add(handler);
      return () => {
        links.delete(handler);
      };
    },
    retry() {},
    reconnect() {},
    listen: () => () => undefined,
    close() {},
    setLink(next) {
      link = next;
      for (const handler of [...links]) handler(next);
    },
    tell(event, payload) {
      for (const handler of handlers.get(event) ?? []) handler(payload);
    },
  };
}
