import { activityServerEvents } from './activity-types.ts';
import { callClientEvents, callServerEvents } from './calls.ts';
import { chatClientEvents, chatServerEvents } from './chat.ts';
import { failure } from './errors.ts';
import { positionClientEvents, positionServerEvents } from './positions.ts';
import { presenceClientEvents, presenceServerEvents } from './presence.ts';
import { type AckFailure, forGuests, serverEvent } from './socket.ts';
import { transferServerEvents } from './transfer.ts';
import { voiceClientEvents, voiceServerEvents } from './voice.ts';
import { z } from './zod.ts';

/** Every event that a client may send. */
export const clientEvents = {
  ...callClientEvents,
  ...chatClientEvents,
  ...presenceClientEvents,
  ...positionClientEvents,
  ...voiceClientEvents,
};
/** Every event that the server may send. */
export const serverEvents = {
  ...activityServerEvents,
  ...callServerEvents,
  ...chatServerEvents,
  ...presenceServerEvents,
  ...positionServerEvents,
  ...transferServerEvents,
  ...voiceServerEvents,
  // Rule APP14.
  server_version: forGuests(
    serverEvent(() =>
      z.object({ contract: z.string(), build: z.string().nullable() }).meta({
        description:
          'To everybody, before anything else: the contract that the server speaks, and the build of the web app that it serves (null: none). Pages of another contract reload. Pages of every version must be able to read this: its fields stay as they are.',
      }),
    ),
  ),
  error: forGuests(
    serverEvent(() =>
      failure.extend({ event: z.string() }).meta({
        description:
          "To the sender of an unknown event, or of one that failed and asked for no acknowledgement: the body of a refused call, and the event's name (its beginning, if it is long). A few a second at most.",
      }),
    ),
  ),
};

export type ClientEventName = keyof typeof clientEvents;
export type ServerEventName = keyof typeof serverEvents;
export type EventInput<E extends ClientEventName> = z.input<(typeof clientEvents)[E]['payload']>;
export type EventPayload<E extends ClientEventName> = z.output<(typeof clientEvents)[E]['payload']>;
export type EventAnswer<E extends ClientEventName> = z.output<(typeof clientEvents)[E]['ack']>;
export type ServerPayload<E extends ServerEventName> = z.output<(typeof serverEvents)[E]['payload']>;
export type Ack<E extends ClientEventName> = { ok: true; data: EventAnswer<E> } | AckFailure;

/** Socket.IO's typing of both directions. */
export type ClientToServer = {
  [E in ClientEventName]: (payload: EventInput<E>, ack: (reply: Ack<E>) => void) => void;
};
export type ServerToClient = { [E in ServerEventName]: (payload: ServerPayload<E>) => void };
