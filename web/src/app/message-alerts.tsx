import type { SessionUser } from '@pressel/contract/auth';
import { useEffect, useEffectEvent } from 'react';
import { isFree } from '#src/features/calls/call-state.ts';
import {
  createAlertTabs,
  IN_SIGHT,
  type MessageNotice,
  ON_AIR,
  openMessageAlerts,
} from '#src/features/chat/message-alerts.ts';
import type { Ringer } from '#src/features/voice/engine/web-audio.ts';
import { isolated } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useStorage, useUser } from '#src/shared/services.tsx';
import type { AppStorage } from '#src/shared/storage.ts';
import { type SystemNotice, showSystemNotice } from '#src/shared/system-notice.ts';
import { useTitleCount } from '#src/shared/ui/page-title.ts';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { UserLink } from './user-link.ts';

/** A notification shows at most this many characters of a message. */
const SHOWN_MAX = 140;

/** Alerts the user to new messages, whatever page is shown. Rules: CHATS52 to CHATS57. */
export function MessageAlerts({ link }: { link: UserLink }) {
  const { t } = useTranslation('chat');
  const storage = useStorage();
  const user = useUser();
  useUnreadInTitle(link.chat);

  const wordsOf = useEffectEvent(({ channelName, sender, text, isMention }: MessageNotice) => {
    const name = isolated(sender);
    const head = isMention ? t('alerts.mentioned', { name }) : name;
    return {
      title: channelName === undefined ? head : `${head} · ${isolated(channelName)}`,
      body: text === '' ? t('alerts.image') : [...text].slice(0, SHOWN_MAX).join(''),
    };
  });

  useEffect(() => openAlerts(link, user, storage, (notice) => wordsOf(notice)), [link, user, storage]);
  return null;
}

/** Starts the alerts over this link. Their words are read when there is something to say. Returns the function that ends them. */
function openAlerts(
  { realtime, chat, enteredRooms, calls }: UserLink,
  me: SessionUser,
  storage: AppStorage,
  wordsOf: (notice: MessageNotice) => Pick<SystemNotice, 'title' | 'body'>,
): () => void {
  const tabs = createAlertTabs(me.id);
  const tell = () => {
    const room = enteredRooms.getSnapshot()?.room.getSnapshot();
    const isTalking = room !== undefined && room.talk.state !== 'idle';
    const lookedAt = chat.looking.getSnapshot();
    const facts = new Set<string>();
    if (document.visibilityState === 'visible') facts.add(IN_SIGHT);
    if (isTalking || !isFree(calls.getSnapshot().call)) facts.add(ON_AIR);
    if (lookedAt !== undefined) facts.add(lookedAt);
    tabs.show(facts);
  };
  let unfollow: () => void = () => undefined;
  const followRoom = () => {
    unfollow();
    unfollow = enteredRooms.getSnapshot()?.room.subscribe(tell) ?? (() => undefined);
    tell();
  };
  /** Opened with the first tone. */
  let ringer: Promise<Ringer> | undefined;
  const shown = new Map<string, () => void>();
  const stops = [
    enteredRooms.subscribe(followRoom),
    calls.subscribe(tell),
    chat.looking.subscribe(tell),
    openMessageAlerts({
      ...{ realtime, tabs, me, choices: chat.alerts },
      play(tone) {
        ringer ??= import('#src/features/calls/call-parts.ts').then(({ openRinger }) => openRinger(storage));
        // If its code can't be loaded, there is no tone.
        ringer.then(
          (opened) => opened.sound(tone),
          () => undefined,
        );
      },
      notify(notice) {
        const tag = `pressel-message-${notice.channelId}`;
        shown.set(notice.channelId, showSystemNotice({ ...wordsOf(notice), tag }));
      },
      forget(channelId) {
        shown.get(channelId)?.();
        shown.delete(channelId);
      },
    }),
  ];
  document.addEventListener('visibilitychange', tell);
  followRoom();
  return () => {
    document.removeEventListener('visibilitychange', tell);
    unfollow();
    for (const stop of stops) stop();
    for (const close of shown.values()) close();
    tabs.close();
    ringer?.then(
      (opened) => opened.close(),
      () => undefined,
    );
  };
}

/** Shows the number of unread messages in the tab's title, for the channels where the user wants that [CHATS53]. */
function useUnreadInTitle({ unread, alerts }: UserLink['chat']): void {
  useSnapshot(alerts);
  const count = useSnapshot({
    subscribe: unread.subscribeAll,
    getSnapshot: () =>
      [...unread.all()].reduce((sum, [channelId, more]) => sum + (alerts.isOn(channelId, 'count') ? more : 0), 0),
  });
  useTitleCount(count);
}
