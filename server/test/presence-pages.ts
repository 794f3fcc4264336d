import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { RoomState } from '@pressel/contract/presence';
import type { ServerEventName, ServerPayload } from '@pressel/contract/realtime';
import type { FloorNews } from '@pressel/contract/voice';
import type { Session } from '#src/accounts/session.ts';
import { AppError } from '#src/shared/app-error.ts';
import { roomOf } from '#src/sockets/sockets.ts';
import type { FakeSocket } from './fake-sockets.ts';
import type { ServerProcess, World } from './presence-processes.ts';
import type { Random } from './random.ts';

export const check: (holds: boolean, message: string) => asserts holds = (holds, message) => {
  if (!holds) throw new Error(message);
};

const onlyRefused = (error: unknown): void => {
  if (!(error instanceof AppError)) throw error;
};

/** A room as a page sees it: who is there, and who is out of reach. */
interface View {
  readonly people: Map<ParticipantId, boolean>;
  /** Events that came before the answer to the join. */
  early: (() => void)[] | null;
  floor: FloorNews | null;
  message: number;
}

export interface Page {
  session: Session;
  readonly canResume: boolean;
  socket: FakeSocket | null;
  self: ParticipantId | null;
  token: string | null;
  readonly rooms: Map<ChannelId, View>;
  seq: number;
  /** The press that has the floor of a room. */
  readonly talks: Map<ChannelId, number>;
  /** Number of unanswered moves that may take it out of rooms. */
  inHand: number;
}

export interface PagesDeps {
  world: World;
  random: Random;
  server(): ServerProcess;
  count(what: string): void;
  /** Runs work in the background; its failure counts as a fault. */
  inBackground(work: Promise<unknown>): void;
}

export const newPage = (session: Session, canResume: boolean): Page => ({
  ...{ session, canResume, socket: null, self: null, token: null },
  ...{ rooms: new Map(), seq: 0, talks: new Map(), inHand: 0 },
});

/** Test harness: what pages send and receive. Throws at the first violated rule. */
export function createPages({ world, random, server, count, inBackground }: PagesDeps) {
  /** Handles an event that a page receives. */
  const heard = (page: Page, socket: () => FakeSocket | null) =>
    function hear<E extends ServerEventName>(event: E, payload: ServerPayload<E>): void {
      if (page.socket !== socket()) return;
      if (event === 'usersInThisRoom') {
        // Earlier events are from before the room was entered.
        const entered = page.rooms.get((payload as ServerPayload<'usersInThisRoom'>)[0]?.channelId as ChannelId);
        if (entered?.early != null) entered.early = [];
      }
      const { channelId } = payload as { channelId?: ChannelId };
      const view = channelId === undefined ? undefined : page.rooms.get(channelId);
      if (view === undefined || channelId === undefined) return;
      if (event === 'room_closed') forget(page, channelId);
      else if (view.early !== null) view.early.push(() => tell(page, view, event, payload, true));
      else tell(page, view, event, payload);
    };
  function tell<E extends ServerEventName>(
    page: Page,
    view: View,
    event: E,
    payload: ServerPayload<E>,
    isEarly = false,
  ): void {
    const { people } = view;
    if (event === 'user joined' || event === 'participant_changed') {
      const { id, silent = false } = payload as ServerPayload<'user joined'>;
      // The answer may include earlier events. If a leave couldn't be stored, it lists that participant until the next repair.
      check(
        isEarly || world.failures > 0 || event !== 'user joined' || !people.has(id),
        `[PRES8] ${id} enters where it is`,
      );
      if (event === 'user joined' || people.has(id)) people.set(id, silent);
    } else if (event === 'user_exit') {
      const { id } = payload as ServerPayload<'user_exit'>;
      check(id !== page.self, `${id} is told that itself left`);
      people.delete(id);
    } else if (event === 'floor_changed') {
      const news = payload as FloorNews;
      check(news.talkers.length <= 1, '[TALK2] two have the floor');
      if (news.version > (view.floor?.version ?? -1)) view.floor = news;
      const { channelId } = news;
      if (!news.talkers.some(({ id }) => id === page.self)) page.talks.delete(channelId);
    } else if (event === 'messageResponse') {
      const { number } = payload as ServerPayload<'messageResponse'>;
      check(number > view.message, `[CHAT4] message ${number} after ${view.message}`);
      view.message = number;
    }
  }
  const forget = (page: Page, channelId: ChannelId): void => {
    page.rooms.delete(channelId);
    page.talks.delete(channelId);
  };

  const connect = (page: Page): void => {
    let mine: FakeSocket | null = null;
    mine = server().connect(
      page.session,
      heard(page, () => mine),
    );
    page.socket = mine;
    if (!page.canResume) {
      page.rooms.clear();
      page.talks.clear();
    }
    for (const id of page.rooms.keys()) join(page, id, true);
  };

  function join(page: Page, channelId: ChannelId, keep: boolean): void {
    const { socket } = page;
    if (socket === null) return;
    const view: View = { people: new Map(), early: [], floor: null, message: 0 };
    const left = keep ? [] : [...page.rooms].filter(([id]) => id !== channelId);
    page.rooms.set(channelId, view);
    const known =
      page.token === null || !page.canResume ? null : server().participants.find(page.token.split('.')[0] ?? '');
    const isThere = known !== null && !known.isOver && known.enteredRooms.get(channelId)?.isClosed === false;
    // True: the page is on another socket, and none of its earlier moves takes it out of the room.
    const isBack = isThere && known.socket !== socket.asSocket && page.inHand === 0;
    const lines = () => world.log.filter((line) => line.endsWith(`${known?.id} ${channelId}`)).length;
    const before = lines();
    const claim = page.talks.get(channelId);
    const arrival = { video: null, keep, resume: page.canResume ? page.token : undefined };
    const answered = async (): Promise<RoomState> => {
      await socket.asSocket.data.registered;
      return server().presence.join(
        socket.asSocket,
        { id: channelId },
        { ...arrival, ...(claim !== undefined && { claim }) },
      );
    };
    if (!keep) page.inHand += 1;
    const settled = () => {
      if (!keep) page.inHand -= 1;
    };
    inBackground(
      answered()
        .finally(settled)
        .then(
          (state) => {
            if (page.socket !== socket) return;
            for (const [id, then] of left) if (page.rooms.get(id) === then) forget(page, id);
            if (page.rooms.get(channelId) !== view) return;
            if (isBack && socket.asSocket.data.participant === known) {
              count('resumed');
              check(state.self.id === known.id, `[PRES30] ${known.id} comes back as ${state.self.id}`);
              if (world.failures === 0)
                check(lines() === before, `[PRES30] ${known.id} comes back with an entry of the log`);
            }
            page.self = state.self.id;
            page.token = state.resume;
            for (const { id, silent = false } of [state.self, ...state.participants]) view.people.set(id, silent);
            view.floor = state.floor;
            const early = view.early ?? [];
            view.early = null;
            for (const one of early) one();
          },
          (error: unknown) => {
            if (!(error instanceof AppError)) throw error;
            count(error.code);
            if (page.rooms.get(channelId) === view) forget(page, channelId);
            // The page may have left its other rooms before it was refused.
            if (!keep && page.socket === socket) leave(page, socket, undefined);
          },
        ),
    );
  }

  const leave = (page: Page, { asSocket }: FakeSocket, channelId: ChannelId | undefined): void => {
    for (const id of channelId === undefined ? [...page.rooms.keys()] : [channelId]) forget(page, id);
    page.inHand += 1;
    const left = asSocket.data.registered.then(() => server().presence.leave(asSocket, channelId));
    const settled = () => {
      page.inHand -= 1;
    };
    inBackground(left.catch(onlyRefused).finally(settled));
  };

  /** The page loses its link; the server notices it at some moment, or not before the page is back. */
  const lose = (page: Page, reason: 'transport close' | 'client namespace disconnect'): void => {
    const { socket } = page;
    if (socket === null) return;
    socket.cut();
    page.socket = null;
    if (reason === 'transport close') setTimeout(() => socket.drop(reason), random.below(6_000));
    else {
      socket.drop(reason);
      page.rooms.clear();
      page.talks.clear();
      // The next to connect is another page.
      page.token = null;
      page.self = null;
    }
    if (!page.canResume) page.rooms.clear();
  };

  const press = async (page: Page, channelId: ChannelId): Promise<void> => {
    if (page.socket === null || page.self === null || page.rooms.get(channelId)?.early !== null) return;
    const { asSocket } = page.socket;
    const seq = ++page.seq;
    let isAnswered = false;
    const request = async () => {
      const { id } = roomOf(asSocket, channelId);
      const { userId, displayName: name } = page.session;
      const asker = { id: asSocket.data.participant.id, userId, name, priority: 0, author: null };
      const reply = await server().floor.request(id, asker, seq, random.chance(0.5));
      if (reply.type === 'granted') page.talks.set(channelId, seq);
      count(reply.type);
    };
    inBackground(
      request()
        .catch(onlyRefused)
        .finally(() => {
          isAnswered = true;
        }),
    );
    // No time passes here, so anything that awaits the database keeps waiting.
    for (let turn = 0; turn < 20; turn += 1) await null;
    check(isAnswered, 'the floor waits for the database');
  };

  return { connect, join, leave, lose, press };
}
