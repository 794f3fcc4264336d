import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { audience, type Socket } from '#src/platform/sockets.ts';
import { beatEvents } from './beat.events.ts';
import { createFloorService, type FloorService } from './floor-service.ts';
import type { MicSwitch } from './mic-switch.ts';
import { voiceEvents } from './voice.events.ts';
import { voiceRoutes } from './voice.routes.ts';

/** Talks within this time after the last logged one make no new entry in the activity log. */
const TALK_ENTRY_MS = 3_000;

export interface VoiceNeeds {
  talkLog: {
    add(talk: {
      type: 'channel_talk';
      user: { id: string; firstName: string; displayName: string };
      channel: { id: string; name: string };
    }): void;
  };
}

/** The floor operations that presence needs. */
export type VoiceApi = Pick<FloorService, 'snapshot' | 'proveStay' | 'leave' | 'rename' | 'forget'>;

export function voiceFeature(
  { serve, sockets, facts, steadyNow, log }: Platform,
  { talkLog }: VoiceNeeds,
): Feature<VoiceApi> {
  const mics = new WeakMap<Socket, MicSwitch>();

  const recordTalk = (channelId: ChannelId, id: ParticipantId): void => {
    const socket = sockets.find(id);
    if (socket?.data.channel?.id !== channelId) return;
    const isRepeat = steadyNow() - (socket.data.talkedAt ?? Number.NEGATIVE_INFINITY) < TALK_ENTRY_MS;
    if (isRepeat) return;
    socket.data.talkedAt = steadyNow();
    const { userId, firstName, displayName } = socket.data.session;
    talkLog.add({ type: 'channel_talk', user: { id: userId, firstName, displayName }, channel: socket.data.channel });
  };

  const floor = createFloorService({
    now: steadyNow,
    log,
    tellParticipant: (channelId, id, reply) =>
      sockets.to(audience.participant(channelId, id)).emit('floor_reply', reply),
    tellRoom: (channelId, snapshot) => sockets.to(audience.everyoneIn(channelId)).emit('floor_changed', snapshot),
    talkChanged: (channelId, { id, userId }, talking) => {
      const news = { id, userId, channelId, micState: talking };
      sockets.to(audience.everyoneIn(channelId)).emit('onMicStateChanged', news);
      if (talking) recordTalk(channelId, id);
    },
  });
  facts.on('channelChanged', ({ channel }) => floor.setMode(channel));
  const onFault = (error: unknown) => log.error({ err: error }, 'floor_renewal_failed');
  const keepMic = (socket: Socket, mic: MicSwitch) => void mics.set(socket, mic);
  sockets.onConnect(
    voiceEvents(sockets.on, { floor, find: sockets.find, now: steadyNow, keepMic, onFault }),
    'guests too',
  );
  sockets.onConnect(beatEvents(sockets.on, floor), 'guests too');
  voiceRoutes(serve, { sockets, micOf: (socket) => mics.get(socket) });
  return { api: floor, close: floor.close };
}
