import type {
  Ack,
  ClientEventName,
  EventAnswer,
  EventInput,
  ServerEventName,
  ServerPayload,
} from '@pressel/contract/realtime';
import { clientEvents } from '@pressel/contract/realtime';
import type { Signalling } from '#src/features/voice/engine/types.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { LinkState } from '#src/shared/realtime/realtime.ts';

type Answerer<E extends ClientEventName> = (payload: EventInput<E>) => Ack<E> | Promise<Ack<E>>;

export interface FakeSignalling extends Signalling {
  /** All events sent, in order, with payloads parsed by the contract. */
  readonly sent: { event: ClientEventName; payload: unknown }[];
  sentOf<E extends ClientEventName>(event: E): EventInput<E>[];
  /** Sets the acknowledgement of an event. Default: ok with empty data. */
  answer<E extends ClientEventName>(event: E, answerer: Answerer<E>): void;
  /** Emits an event as the server. */
  emit<E extends ServerEventName>(event: E, payload: ServerPayload<E>): void;
  setLink(state: LinkState): void;
  listeners(): number;
  /** Counts the engine's requests for another connection. Nothing else happens. */
  reconnects: number;
}

export const ok = <E extends ClientEventName>(data: EventAnswer<E>): Ack<E> => ({ ok: true, data }) as Ack<E>;
export const unavailable = { ok: false, code: 'unavailable', params: {} } as const;

/** A fake Signalling whose answers and link state are set by the test. */
export const createFakeSignalling = (link: LinkState = 'up'): FakeSignalling => {
  const answerers = new Map<ClientEventName, Answerer<never>>();
  const handlers = new Map<ServerEventName, Set<(payload: never) => void>>();
  const links = createListeners<LinkState>();
  let linkHandlers = 0;
  let state = link;

  const fake: FakeSignalling = {
    sent: [],
    reconnects: 0,
    reconnect() {
      fake.reconnects += 1;
    },
    sentOf: (event) => fake.sent.filter((one) => one.event === event).map((one) => one.payload) as never,
    answer(event, answerer) {
      answerers.set(event, answerer as unknown as Answerer<never>);
    },
    async send(event, payload) {
      clientEvents[event].payload.parse(payload);
      if (state !== 'up') return unavailable;
      fake.sent.push({ event, payload });
      const answerer = answerers.get(event);
      return (answerer === undefined ? { ok: true, data: {} } : await answerer(payload as never)) as never;
    },
    on(event, handler) {
      const all = handlers.get(event) ?? new Set();
      handlers.set(event, all);
      all.add(handler as (payload: never) => void);
      return () => {
        all.delete(handler as (payload: never) => void);
      };
    },
    onLink(handler, order) {
      const stop = links.add(handler, order);
      linkHandlers += 1;
      handler(state);
      return () => {
        stop();
        linkHandlers -= 1;
      };
    },
    emit(event, payload) {
      for (const handler of [...(handlers.get(event) ?? [])]) handler(payload as never);
    },
    setLink(next) {
      state = next;
      links.notify(next);
    },
    listeners: () => [...handlers.values()].reduce((sum, all) => sum + all.size, linkHandlers),
  };
  return fake;
};
