import type { ChannelId } from '@pressel/contract/ids';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AlertChoices } from './alert-choices.ts';
import { isMentioned, type Named } from './text-parts.ts';

/** Only one tab alerts for a message; a tab that hears of it later than this would alert again, ms. */
const ONCE_MS = 10_000;
/** A message that comes sooner than this after a tone plays none: many messages would make one long noise, ms. */
const TONE_PAUSE_MS = 2_000;

/** Facts that tabs share, besides the channel whose messages the user looks at. */
export const IN_SIGHT = 'in sight';
export const ON_AIR = 'on air';

export type AlertTone = 'message' | 'mention';

/** The content of a notification. */
export interface MessageNotice {
  channelId: ChannelId;
  /** Undefined for a message in the user's current room. */
  channelName: string | undefined;
  sender: string;
  /** Empty for an image without words. */
  text: string;
  isMention: boolean;
}

export interface MessageAlertsDeps {
  realtime: Pick<Realtime, 'on'>;
  me: Named & { id: string };
  choices: Pick<AlertChoices, 'isOn'>;
  tabs: Pick<AlertTabs, 'once'>;
  play: (tone: AlertTone) => void;
  notify: (notice: MessageNotice) => void;
  /** Called when this channel's messages were read, or when the message of its notification was deleted. */
  forget: (channelId: ChannelId) => void;
}

type News = Pick<ServerPayload<'onSendMessage'>, 'channelId' | 'number' | 'userId' | 'user' | 'textMsg'> & {
  channelName?: string;
};

/**
 * Alerts the user to messages of others by a tone and a notification, in one tab. Returns the function that ends it.
 * Rules: CHATS52 to CHATS56.
 */
export function openMessageAlerts(deps: MessageAlertsDeps): () => void {
  const { realtime, me, choices, tabs, play, notify, forget } = deps;

  /** The number of the message that each channel's notification shows. */
  const noticed = new Map<ChannelId, number>();

  const hear = ({ channelId, channelName, number, userId, user, textMsg: text }: News): void => {
    if (userId === me.id) return;
    const isMention = choices.isOn(channelId, 'mention') && isMentioned(text, me);
    const isToned = isMention || choices.isOn(channelId, 'tone');
    const isNotified = isMention || choices.isOn(channelId, 'notice');
    if (!isToned && !isNotified) return;
    tabs.once(`${channelId} ${number}`, ONCE_MS, (facts) => {
      // The user looks at it.
      if (facts.has(channelId)) return;
      const tone = isMention ? 'mention' : 'message';
      // An open microphone would carry the tone to everybody in the room.
      if (isToned && !facts.has(ON_AIR)) tabs.once(`tone ${tone}`, TONE_PAUSE_MS, () => play(tone));
      if (!isNotified || facts.has(IN_SIGHT)) return;
      noticed.set(channelId, number);
      notify({ channelId, channelName, sender: user.display_name, text, isMention });
    });
  };
  const stops = [
    realtime.on('messageResponse', hear),
    realtime.on('onSendMessage', hear),
    realtime.on('room message changed', ({ channelId, number }) => {
      if (noticed.get(channelId) === number) forget(channelId);
    }),
    realtime.on('messages_read', ({ channelId, unread }) => {
      if (unread === 0) forget(channelId);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Facts that a user's tabs in one browser share with each other. */
interface AlertTabs {
  /** Sets this tab's facts; all tabs see them until they are withdrawn or the tab is gone. */
  show(facts: ReadonlySet<string>): void;
  /** Runs `act` in one of the tabs that ask for the same name within `forMs`, with the facts of all tabs. */
  once(name: string, forMs: number, act: (facts: ReadonlySet<string>) => void): void;
  close(): void;
}

/** A tab that can't make sound yet lets other tabs go first, ms. */
const SILENT_WAITS_MS = 300;

/**
 * Uses the browser's locks, which end with their tab, however it ends. On plain http there are no locks: each tab acts
 * alone, as with the outbox (CHATS26).
 */
export function createAlertTabs(userId: string, page: Window = window): AlertTabs {
  const { locks } = page.navigator as Partial<Pick<Navigator, 'locks'>>;
  const prefix = `pressel.alerts.${userId}.`;
  const factPrefix = `${prefix}fact `;
  /** The function that ends each fact, by fact. */
  const own = new Map<string, () => void>();
  let isClosed = false;

  const allFacts = async (): Promise<ReadonlySet<string>> => {
    const { held = [] } = (await locks?.query()) ?? {};
    const told = held.flatMap(({ name = '' }) => (name.startsWith(factPrefix) ? [name.slice(factPrefix.length)] : []));
    return new Set([...own.keys(), ...told]);
  };
  const claim: AlertTabs['once'] = async (name, forMs, act) => {
    if (locks === undefined) return act(new Set(own.keys()));
    if (page.navigator.userActivation?.hasBeenActive === false) await pause(SILENT_WAITS_MS);
    await locks.request(`${prefix}once ${name}`, { ifAvailable: true }, async (lock) => {
      if (lock === null || isClosed) return;
      act(await allFacts());
      await pause(forMs);
    });
  };
  const begin = (fact: string): void => {
    const promise = new Promise<void>((resolve) => own.set(fact, resolve));
    // A shared lock, because the fact may hold in two tabs. The request fails only with its page.
    locks?.request(`${factPrefix}${fact}`, { mode: 'shared' }, () => promise).catch(() => undefined);
  };
  const end = (fact: string): void => {
    own.get(fact)?.();
    own.delete(fact);
  };

  return {
    show(facts) {
      if (isClosed) return;
      for (const fact of [...own.keys()]) if (!facts.has(fact)) end(fact);
      for (const fact of facts) if (!own.has(fact)) begin(fact);
    },
    once(name, forMs, act) {
      Promise.resolve(claim(name, forMs, act)).catch(reportError);
    },
    close() {
      isClosed = true;
      for (const fact of [...own.keys()]) end(fact);
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
