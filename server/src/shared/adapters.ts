import type { Namespace } from 'socket.io';
import { Adapter, type BroadcastOptions } from 'socket.io-adapter';
import * as z from 'zod';
import type { Metrics } from './metrics.ts';
import type { Relay } from './relay.ts';

/** What is hidden by the library's types: how it encodes what many sockets hear, once for all of them. */
type Encoding = new (
  namespace: Namespace,
) => { _encode(packet: unknown, options: { wsPreEncodedFrame?: Buffer[] }): string[] };

class Encoder extends (Adapter as unknown as Encoding) {
  override _encode(packet: unknown, options: { wsPreEncodedFrame?: Buffer[] }): string[] {
    const encoded = super._encode(packet, options);
    const { wsPreEncodedFrame: frame } = options;
    if (frame !== undefined) options.wsPreEncodedFrame = [Buffer.concat(frame)];
    return encoded;
  }
}

/**
 * Tells a room in one write a socket. The library's own has two, of a frame's head and of its content, and what a room of two
 * hundred costs is nearly all writes: a seventh more messages a second. Should a later version of it encode elsewhere,
 * this does nothing.
 */
export const OneWriteAdapter = Encoder as unknown as typeof Adapter;

/** An event for sockets of other processes. Whatever it says is passed on: pages of the version that said it may be among them. */
export const relayedEvent = z.object({
  rooms: z.array(z.string()),
  except: z.array(z.string()),
  /** Type and arguments, as Socket.IO has them. */
  packet: z.object({ type: z.number(), data: z.array(z.unknown()) }),
});
export type RelayedEvent = z.infer<typeof relayedEvent>;

/** Of the relay. */
export const SOCKETS_TOPIC = 'sockets';

/**
 * Tells the sockets of this process at once, and those of the others by the relay. Everything else, such as ending sockets, is about
 * this process alone.
 */
export const relayingAdapter = (relay: Relay, metrics: Pick<Metrics, 'fannedOut'>): typeof Adapter =>
  class extends OneWriteAdapter {
    constructor(namespace: Namespace) {
      super(namespace);
      relay.on(SOCKETS_TOPIC, relayedEvent, ({ rooms, except, packet }, afterMs) => {
        const start = performance.now();
        super.broadcast(packet, { rooms: new Set(rooms), except: new Set(except) });
        if (afterMs !== null) metrics.fannedOut((afterMs + performance.now() - start) / 1_000, 'another');
      });
    }

    override broadcast(packet: RelayedEvent['packet'], options: BroadcastOptions): void {
      super.broadcast(packet, options);
      if (options.flags?.local === true) return;
      const { type, data } = packet;
      relay.say(SOCKETS_TOPIC, {
        rooms: [...options.rooms],
        except: [...(options.except ?? [])],
        packet: { type, data },
      });
    }
  };
