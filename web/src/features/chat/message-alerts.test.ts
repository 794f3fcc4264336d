import type { Message } from '@pressel/contract/chat';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStorage, memoryArea } from '#src/shared/storage.ts';
import { CHANNEL, ME, messageOf, newsOf, OTHER } from '#test/chat-bench.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sessionUserOf } from '#test/samples.ts';
import { type Alert, createAlertChoices } from './alert-choices.ts';
import { createAlertTabs, IN_SIGHT, ON_AIR, openMessageAlerts } from './message-alerts.ts';

const ALL_OFF: Alert[] = ['tone', 'notice', 'count', 'mention'];
const me = sessionUserOf({ id: ME, firstName: 'Zoé', lastName: 'Martin', display_name: 'Zoé Martin' });

/** One tab of several; some tab has these facts. */
function start({ facts = [] as string[], off = [] as Alert[] } = {}) {
  const realtime = createRealtimeDouble();
  const storage = createStorage({ local: memoryArea(), session: memoryArea() });
  storage.keepUser(me);
  const choices = createAlertChoices(storage);
  for (const alert of off) choices.set(CHANNEL, alert, false);
  const claimed = new Set<string>();
  const play = vi.fn();
  const notify = vi.fn();
  const forget = vi.fn();
  const tabs = {
    once(name: string, _: number, act: (all: ReadonlySet<string>) => void) {
      if (claimed.has(name)) return;
      claimed.add(name);
      act(new Set(facts));
    },
  };
  const close = openMessageAlerts({ realtime, me, choices, tabs, play, notify, forget });
  const tell = (message: Message) => realtime.tell('onSendMessage', newsOf(message));
  return { realtime, play, notify, forget, close, tell, choices };
}
const named = messageOf(1, { textMsg: 'Où es-tu, @Zoé ?' });

test('[CHATS52][CHATS54] out of sight a message calls by a tone and a notification, in the room as elsewhere; one’s own don’t', () => {
  const { tell, realtime, play, notify, close } = start();
  tell(messageOf(1, { userId: ME }));
  expect(play).not.toHaveBeenCalled();
  tell(messageOf(2));
  expect(play.mock.calls).toEqual([['message']]);
  const notice = { channelId: CHANNEL, channelName: 'Nord', sender: 'Noé', text: 'Message 2', isMention: false };
  expect(notify.mock.calls).toEqual([[notice]]);
  realtime.tell('messageResponse', messageOf(3));
  expect(notify).toHaveBeenLastCalledWith({ ...notice, channelName: undefined, text: 'Message 3' });
  close();
  tell(messageOf(4));
  expect(notify).toHaveBeenCalledTimes(2);
});

test.each([
  ['the console is in sight', [IN_SIGHT], { tones: 1, notices: 0 }],
  ['somebody looks at these messages', [IN_SIGHT, CHANNEL], { tones: 0, notices: 0 }],
  ['the own microphone is open', [ON_AIR], { tones: 0, notices: 1 }],
])('[CHATS52][CHATS54][CHATS55] while %s, in whichever tab: %o %o', (_, facts, { tones, notices }) => {
  const { tell, play, notify } = start({ facts });
  tell(messageOf(1));
  expect([play.mock.calls.length, notify.mock.calls.length]).toEqual([tones, notices]);
});

test.each<[string, Alert[], Message, { tones: string[]; notices: number }]>([
  ['no tone', ['tone'], messageOf(1), { tones: [], notices: 1 }],
  ['no notification', ['notice'], messageOf(1), { tones: ['message'], notices: 0 }],
  ['neither', ['tone', 'notice'], messageOf(1), { tones: [], notices: 0 }],
  ['neither, and it names the reader', ['tone', 'notice'], named, { tones: ['mention'], notices: 1 }],
  ['no mentions, and it names the reader', ['mention'], named, { tones: ['message'], notices: 1 }],
  ['nothing, and it names the reader', ALL_OFF, named, { tones: [], notices: 0 }],
])('[CHATS56][CHATS57] a channel of which is wanted: %s', (_, off, message, { tones, notices }) => {
  const { tell, play, notify } = start({ off });
  tell(message);
  expect([play.mock.calls.map(([tone]) => tone), notify.mock.calls.length]).toEqual([tones, notices]);
});

test('[CHATS54] a notification goes when its message is deleted: its words are on the screen', () => {
  const { tell, realtime, forget } = start();
  const erase = (number: number) => {
    const { id, channelId } = messageOf(number);
    realtime.tell('room message changed', { id, channelId, number, deleted: true });
  };
  tell(messageOf(1));
  tell(messageOf(2));
  erase(1);
  expect(forget, 'it is of the newest one').not.toHaveBeenCalled();
  erase(2);
  expect(forget.mock.calls).toEqual([[CHANNEL]]);
});

test('[CHATS54] a notification goes when its messages are read, wherever', () => {
  const { realtime, forget } = start();
  realtime.tell('messages_read', { channelId: CHANNEL, readUpTo: 3, unread: 1 });
  expect(forget).not.toHaveBeenCalled();
  realtime.tell('messages_read', { channelId: CHANNEL, readUpTo: 4, unread: 0 });
  expect(forget.mock.calls).toEqual([[CHANNEL]]);
});

test('[CHATS57] choices are the user’s: kept, and seen by all tabs at once', () => {
  const local = memoryArea();
  const tab = (user = me) => {
    const storage = createStorage({ local, session: memoryArea() });
    storage.keepUser(user);
    return createAlertChoices(storage);
  };
  const [one, other] = [tab(), tab()];
  one.set(CHANNEL, 'tone', false);
  expect([one, other].map((choices) => choices.isOn(CHANNEL, 'tone'))).toEqual([false, false]);
  expect(tab(sessionUserOf({ ...me, id: messageOf(1).userId })).isOn(CHANNEL, 'tone')).toBe(true);
  other.set(CHANNEL, 'tone', true);
  expect([one.isOn(CHANNEL, 'tone'), tab().getSnapshot()]).toEqual([true, {}]);
});

/** The browser's locks, for all tabs: held until the callback's promise ends. */
function fakeLocks() {
  const held = new Map<string, number>();
  const request = async (name: string, options: LockOptions, act: (lock: object | null) => unknown) => {
    if (options.ifAvailable === true && held.has(name)) return act(null);
    held.set(name, (held.get(name) ?? 0) + 1);
    try {
      return await act({});
    } finally {
      const left = (held.get(name) ?? 1) - 1;
      if (left === 0) held.delete(name);
      else held.set(name, left);
    }
  };
  return { request, query: async () => ({ held: [...held.keys()].map((name) => ({ name })) }) };
}
const pageWith = (locks: object | undefined, hasBeenActive = true) =>
  ({ navigator: { ...(locks && { locks }), userActivation: { hasBeenActive } } }) as unknown as Window;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
const settle = () => vi.advanceTimersByTimeAsync(0);

test('[CHATS55] of five tabs one acts, and again only after the time given', async () => {
  const locks = fakeLocks();
  const tabs = Array.from({ length: 5 }, () => createAlertTabs(ME, pageWith(locks)));
  const act = vi.fn();
  for (const tab of tabs) tab.once('1', 1_000, act);
  await settle();
  expect(act).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(1_000);
  tabs[3]?.once('1', 1_000, act);
  await settle();
  expect(act).toHaveBeenCalledTimes(2);
});

test('[CHATS55] what is so in one tab all of the user’s know, until it ends or the tab is gone', async () => {
  const locks = fakeLocks();
  const [one, other, stranger] = [ME, ME, OTHER].map((id) => createAlertTabs(id, pageWith(locks)));
  const facts = async (n: string) => {
    await settle();
    let seen: string[] = [];
    other?.once(n, 0, (all) => {
      seen = [...all];
    });
    await settle();
    return seen;
  };
  stranger?.show(new Set(['theirs']));
  one?.show(new Set(['in sight', 'x']));
  expect(await facts('1')).toEqual(['in sight', 'x']);
  one?.show(new Set(['x']));
  expect(await facts('2')).toEqual(['x']);
  one?.close();
  expect(await facts('3')).toEqual([]);
});

test('[CHATS55] a tab that may make no sound yet lets one that may go first', async () => {
  const locks = fakeLocks();
  const [silent, touched] = [createAlertTabs(ME, pageWith(locks, false)), createAlertTabs(ME, pageWith(locks))];
  const acts: string[] = [];
  silent.once('1', 1_000, () => acts.push('silent'));
  touched.once('1', 1_000, () => acts.push('touched'));
  await vi.advanceTimersByTimeAsync(500);
  expect(acts).toEqual(['touched']);
  silent.once('2', 1_000, () => acts.push('silent'));
  await vi.advanceTimersByTimeAsync(500);
  expect(acts).toEqual(['touched', 'silent']);
});

test('[CHATS55] without locks, as on plain http, a tab goes by itself', async () => {
  const tab = createAlertTabs(ME, pageWith(undefined));
  const act = vi.fn();
  tab.show(new Set(['x']));
  tab.once('1', 0, act);
  await settle();
  expect([...(act.mock.calls[0]?.[0] ?? [])]).toEqual(['x']);
});
