import type { Message } from '@pressel/contract/chat';
import { expect, test, vi } from 'vitest';
import { createStorage, memoryArea } from '#src/shared/storage.ts';
import { CHANNEL, ME, messageOf, newsOf } from '#test/chat-bench.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sessionUserOf } from '#test/samples.ts';
import { type Alert, createAlertChoices } from './alert-choices.ts';
import { IN_SIGHT, ON_AIR, openMessageAlerts } from './message-alerts.ts';

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
