import { ActionIcon } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi, useLink, useRealtime, useStorage, useUser } from '#src/shared/services.tsx';
import { useAnnouncement } from '#src/shared/ui/announcer.tsx';
import { useFileDrop } from '#src/shared/ui/drop-area.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { AlertsButton } from './alerts-button.tsx';
import { openBrowserOutbox } from './browser-outbox.ts';
import { useChat, useOutboxSnapshot } from './chat-context.tsx';
import { Composer } from './composer.tsx';
import { type Conversation, openConversation, type Typing } from './conversation.ts';
import { ImageDialog } from './image-dialog.tsx';
import { MessageBody } from './message-body.tsx';
import { SearchBox, SearchResults } from './message-search.tsx';
import styles from './messages-panel.module.css';
import type { OutboxItem } from './outbox-store.ts';
import { UnsentImage, useImageDraft } from './unsent-messages.tsx';

const NOBODY: readonly string[] = [];
const NO_TYPING = { getSnapshot: () => NOBODY, subscribe: () => () => undefined };

/** One line above the field, always there so that nothing moves: says who types, or why nothing is sent. */
function StatusLine({ typing }: { typing: Typing | undefined }) {
  const { t } = useTranslation('chat');
  const names = useSnapshot<readonly string[]>(typing ?? NO_TYPING);
  const { isLasting, entries } = useOutboxSnapshot();
  const isDown = useLink() === 'down';
  const isRefused = isLasting && entries.some(({ lack }) => lack === 'refused');
  const isForgetful = !isLasting && (isDown || entries.length > 0);
  const risk = isRefused ? t('composer.refused') : isForgetful ? t('composer.memory') : undefined;
  useAnnouncement(risk);
  return (
    // Not a live region: the room already announces a lost link, and typing names would be announced all the time.
    <p className={styles.status} data-warning={isDown || risk !== undefined || undefined}>
      {risk ?? (isDown ? t('composer.offline') : <TypingWords names={names} />)}
    </p>
  );
}

function TypingWords({ names }: { names: readonly string[] }) {
  const { t } = useTranslation('chat');
  const [name = '', other = ''] = names;
  if (names.length === 0) return null;
  if (names.length === 1) return t('typing.one', { name });
  if (names.length === 2) return t('typing.two', { name, other });
  return t('typing.more', { count: names.length });
}

export interface MessagesPanelProps {
  channelId: ChannelId;
  channelName: string;
  /** Whether the link carries the room's events. */
  isLive: boolean;
  /** Whether the panel is visible: messages behind another tab don't count as read. */
  isShown: boolean;
}

/** The messages of a channel, and the field to write one. Fills its container. */
export function MessagesPanel({ channelId, channelName, isLive, isShown }: MessagesPanelProps) {
  const { t } = useTranslation('chat');
  const conversation = useConversation(channelId, isLive, isShown);
  const outbox = useSnapshot(useChat());
  const [search, setSearch] = useState('');
  const [isSearchOpen, setSearchOpen] = useState(false);
  const panel = useRef<HTMLElement>(null);
  const searchOpener = useRef<HTMLButtonElement>(null);
  const draft = useImageDraft(channelId);
  const [chosenFor, setChosenFor] = useState<ChannelId>();
  const chooseImage = (files: readonly File[]) => {
    draft.take(files);
    setChosenFor(channelId);
  };
  const drop = useFileDrop(chooseImage);
  const isSearching = search.trim() !== '';

  const endSearch = () => {
    setSearch('');
    if (!isSearchOpen) return;
    // At once, because the button that opened it can take the focus only when it is there again.
    flushSync(() => setSearchOpen(false));
    searchOpener.current?.focus();
  };
  const send = (text: string, image: OutboxItem['image']) => {
    outbox?.send({ channelId, channelName, text, image });
    setSearch('');
    setSearchOpen(false);
    conversation?.feed.toNewest();
  };
  return (
    <section
      ref={panel}
      className={styles.panel}
      aria-label={t('panel')}
      data-messages-panel=""
      data-search={isSearchOpen ? 'open' : undefined}
      {...drop.handlers}
    >
      <SearchBox value={search} onChange={setSearch} isOpen={isSearchOpen} onClose={endSearch}>
        <AlertsButton channelId={channelId} />
      </SearchBox>
      <div className={styles.middle}>
        {/* Stays beneath the results, so that the list keeps its position. */}
        <div className={styles.layer} inert={isSearching}>
          <MessageBody conversation={conversation} channelId={channelId} />
        </div>
        {isSearching && (
          <SearchResults
            channelId={channelId}
            text={search}
            onOpen={(number) => {
              // At once: the focused results go, and the list takes the focus only when nothing covers it.
              flushSync(() => {
                setSearch('');
                setSearchOpen(false);
              });
              panel.current?.querySelector<HTMLElement>('[data-message-list]')?.focus({ preventScroll: true });
              conversation?.feed.toMessage(number);
            }}
          />
        )}
      </div>
      <StatusLine typing={conversation?.typing} />
      <UnsentImage draft={draft} onOpen={() => chooseImage([])} />
      <Composer
        key={channelId}
        channelId={channelId}
        canSend={outbox !== undefined}
        onTyped={() => conversation?.typing.typed()}
        onSend={(text) => send(text, null)}
        onImage={chooseImage}
        search={
          <ActionIcon
            ref={searchOpener}
            variant="subtle"
            className={styles.searchOpener}
            aria-label={t('search.label')}
            title={t('search.label')}
            onClick={() => setSearchOpen(true)}
          >
            <IconSearch size={20} aria-hidden="true" />
          </ActionIcon>
        }
      />
      {drop.isOver && <p className={styles.over}>{t('upload.here')}</p>}
      <ImageDialog
        key={`image for ${channelId}`}
        isOpen={chosenFor === channelId}
        draft={draft}
        canSend={outbox !== undefined}
        onClose={() => setChosenFor(undefined)}
        onSend={(image, caption) => {
          setChosenFor(undefined);
          send(caption, image);
          draft.clear();
        }}
      />
    </section>
  );
}

/** The conversation of a channel, open while the panel is mounted. */
function useConversation(channelId: ChannelId, isLive: boolean, isShown: boolean): Conversation | undefined {
  const api = useApi();
  const realtime = useRealtime();
  const storage = useStorage();
  const userId = useUser().id;
  const chat = useChat();
  const outbox = useSnapshot(chat);
  const [conversation, setConversation] = useState<Conversation>();

  useEffect(() => {
    const onLooking = (isLooking: boolean) => chat.looking.set(isLooking ? channelId : undefined);
    const opened = openConversation({ api, realtime, storage, channelId, userId, onLooking });
    setConversation(opened);
    return () => {
      opened.close();
      setConversation(undefined);
    };
  }, [api, realtime, storage, channelId, userId, chat]);
  // The outbox's code loads with the panel: without a link it could not be loaded when it is needed.
  useEffect(() => chat.openOutbox(openBrowserOutbox), [chat]);
  useEffect(() => (outbox === undefined ? undefined : conversation?.follow(outbox)), [conversation, outbox]);
  useEffect(() => conversation?.setLive(isLive), [conversation, isLive]);
  useEffect(() => conversation?.setShown(isShown), [conversation, isShown]);
  return conversation;
}
