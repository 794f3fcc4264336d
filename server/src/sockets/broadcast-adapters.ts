import type { Namespace } from 'socket.io';
import { Adapter, type BroadcastOptions } from 'socket.io-adapter';
import * as z from 'zod';
import type { Metrics } from '#src/logs/metrics.ts';
import type { Relay } from '#src/processes/relay.ts';

/** The library's types hide this: it encodes an event for many sockets once. */
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
 * Sends an event to a room with one write for each socket. The library itself uses two, for a frame's head and its content. In
 * a room of two hundred, writes are nearly all of the cost: this sends a seventh more messages a second. If a later version
 * of the library encodes elsewhere, this does nothing.
 */
export const OneWriteAdapter = Encoder as unknown as typeof Adapter;

/** An event for sockets of other processes. Its content passes unchecked: pages of the sending version may be among the receivers. */
export const relayedEvent = z.object({
  rooms: z.array(z.string()),
  except: z.array(z.string()),
  /** Type and arguments, in Socket.IO's form. */
  packet: z.object({ type: z.number(), data: z.array(z.unknown()) }),
});
export type RelayedEvent = z.infer<typeof relayedEvent>;

/** The relay's topic for events to sockets. */
export const SOCKETS_TOPIC = 'sockets';

/**
 * Sends to this process's sockets at once, and to the others' by the relay. Everything else, such as ending sockets, affects
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
      relay.send(SOCKETS_TOPIC, {
        rooms: [...options.rooms],
        except: [...(options.except ?? [])],
        packet: { type, data },
      });
    }
  };
