import { setTimeout as delay } from 'node:timers/promises';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { sendMessage, uploadFile } from '@pressel/contract/chat';
import { createApi } from '@pressel/e2e/harness/api';
import type { NativePeer } from '@pressel/e2e/harness/native-peer';
import { connectNatively, type NativeSocket } from '@pressel/e2e/harness/native-socket';
import { createPacer, readOpusVoices } from '@pressel/e2e/harness/opus-voice';
import { type PictureName, paint } from './pictures.ts';
import type { Deed } from './plan.ts';
import type { Random } from './random.ts';
import type { Cast } from './store.ts';
import { captionFor, lineFor } from './words.ts';

const ACCURACY_M = 12;

/** The people who carry out the plan, over the real calls, sockets and connections. */
export interface Actors {
  /** Begins a deed, once the same person has finished the one before. A refused deed is left out: the visitor may delete anybody. */
  begin(deed: Deed): void;
  /** Disconnects everybody at once. */
  close(): void;
}

export interface ActorsOptions {
  origin: string;
  cast: Cast;
  random: Random;
  now: () => Date;
}

/** `enterNatively`, or null if its native library is not installed: then nobody enters a room. */
export const loadVoices = async () =>
  (await import('@pressel/e2e/harness/native-peer').catch(() => null))?.enterNatively ?? null;

export function createActors(
  { origin, cast, random, now }: ActorsOptions,
  enterNatively: Awaited<ReturnType<typeof loadVoices>>,
): Actors {
  const { call } = createApi(origin);
  const connections = new Map<number, NativeSocket>();
  const peers = new Map<number, NativePeer>();
  const doing = new Map<number, Promise<void>>();
  const voices = Object.values(readOpusVoices());
  const pacer = createPacer();
  let isClosed = false;

  const personOf = (who: number) => {
    const person = cast.people[who];
    if (person === undefined) throw new Error(`There is nobody ${who}`);
    return person;
  };
  const channelOf = (index: number) => {
    const channel = cast.channels[index];
    if (channel === undefined) throw new Error(`There is no channel ${index}`);
    return channel;
  };
  const leave = (who: number): void => {
    peers.get(who)?.vanish();
    peers.delete(who);
  };

  const carryOut = async (deed: Deed): Promise<void> => {
    const { who } = deed;
    const person = personOf(who);
    switch (deed.do) {
      case 'connect': {
        const connection = await connectNatively(origin, person.token);
        connections.set(who, connection);
        // If the visitor puts this person out, nothing more of theirs waits for an answer.
        connection.socket.once('disconnect', () => connections.delete(who));
        if (isClosed) connection.socket.close();
        return;
      }
      case 'disconnect':
        connections.get(who)?.socket.close();
        return;
      case 'enter': {
        const voice = voices[who % voices.length];
        if (enterNatively === null || voice === undefined) return;
        const room = channelOf(deed.channel).rtcSession;
        peers.set(who, await enterNatively({ origin, token: person.token, room, voice, pacer }));
        return;
      }
      case 'leave':
        await peers.get(who)?.leave();
        leave(who);
        return;
      case 'talk': {
        const peer = peers.get(who);
        if (peer === undefined) return;
        const talk = await peer.press();
        await Promise.race([talk.over, delay(deed.ms)]);
        await peer.release();
        return;
      }
      case 'write': {
        const { id: channelId } = channelOf(deed.channel);
        await call(sendMessage, { channelId, message: lineFor(deed.channel, now(), random) }, person.token);
        return;
      }
      case 'show':
        await show(person.token, deed.channel, deed.picture);
        return;
      case 'move':
        await connections.get(who)?.ask('position_update', { ...deed.place, accuracy: ACCURACY_M });
        return;
    }
  };

  async function show(token: string, channel: number, picture: PictureName): Promise<void> {
    const form = new FormData();
    form.set('channelId', channelOf(channel).id);
    form.set('textMsg', captionFor(picture, channel, now(), random));
    form.set('image', new Blob([new Uint8Array(paint(picture))], { type: 'image/png' }), `${picture}.png`);
    const headers = { [TOKEN_HEADER]: token };
    const response = await fetch(`${origin}${uploadFile.path}`, { method: uploadFile.method, headers, body: form });
    await response.arrayBuffer();
  }

  return {
    begin(deed) {
      const { who } = deed;
      const before = doing.get(who) ?? Promise.resolve();
      const mine = before
        .then(() => (isClosed ? undefined : carryOut(deed)))
        // If a voice is refused or put out, it must not stay half in a room.
        .catch(() => {
          if (deed.do === 'talk' || deed.do === 'leave') leave(who);
        });
      doing.set(who, mine);
    },
    close() {
      isClosed = true;
      pacer.close();
      for (const who of [...peers.keys()]) leave(who);
      for (const { socket } of connections.values()) socket.close();
    },
  };
}
