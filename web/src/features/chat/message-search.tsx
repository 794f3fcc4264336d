import { ActionIcon, Button, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type Message, searchMessages } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { FILTER_MAX_LENGTH } from '@pressel/contract/limits';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi, useUser } from '#src/shared/services.tsx';
import { isComposing } from '#src/shared/ui/is-composing.ts';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { MessageHead } from './message-parts.tsx';
import styles from './messages-panel.module.css';

/** A search waits for this pause in typing, ms. */
const PAUSE_MS = 250;

export interface SearchBoxProps {
  value: string;
  onChange: (text: string) => void;
  /** In a low panel the box is folded into an icon, which opens it. Elsewhere it is always there. */
  isOpen: boolean;
  onClose: () => void;
  /** Shown beside the box while nothing is searched for: a narrow panel has no room for both. */
  children: ReactNode;
}

export function SearchBox({ value, onChange, isOpen, onClose, children }: SearchBoxProps) {
  const { t } = useTranslation('chat');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isOpen) field.current?.focus();
  }, [isOpen]);
  return (
    <div className={styles.search}>
      <TextInput
        ref={field}
        className={styles.field}
        size="sm"
        type="search"
        role="searchbox"
        value={value}
        maxLength={FILTER_MAX_LENGTH}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || isComposing(event)) return;
          if (isOpen) onClose();
          else if (value === '') event.currentTarget.blur();
          else onChange('');
        }}
        placeholder={t('search.label')}
        aria-label={t('search.label')}
        leftSection={<IconSearch size={16} aria-hidden="true" />}
        data-mantine-stop-propagation="true"
      />
      {value !== '' || isOpen ? (
        <ActionIcon
          variant="subtle"
          className={styles.tool}
          aria-label={t('search.clear')}
          title={t('search.clear')}
          onClick={onClose}
        >
          <IconX size={18} aria-hidden="true" />
        </ActionIcon>
      ) : (
        children
      )}
    </div>
  );
}

export interface SearchResultsProps {
  channelId: ChannelId;
  text: string;
  /** Shows the message among its neighbours. */
  onOpen: (number: number) => void;
}

/** The messages of a channel that contain a text, newest first. */
export function SearchResults({ channelId, text, onOpen }: SearchResultsProps) {
  const { t } = useTranslation('chat');
  const api = useApi();
  const [settled] = useDebouncedValue(text.trim(), PAUSE_MS);
  const found = useInfiniteQuery({
    queryKey: ['messages', channelId, 'search', settled],
    queryFn: ({ signal, pageParam }) =>
      api.call(searchMessages, { channelId, text: settled, ...(pageParam && { before: pageParam }) }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.hasOlder ? page.res.at(-1)?.number : undefined),
    enabled: settled !== '',
    // A search must not find deleted messages from the cache.
    staleTime: 0,
    gcTime: 0,
  });
  const messages = found.data?.pages.flatMap(({ res }) => res) ?? [];
  return (
    <div className={styles.results} data-search-results="">
      {found.isError ? (
        <LoadError error={found.error} onRetry={() => void found.refetch()} />
      ) : found.isPending ? (
        <RowsSkeleton rows={4} />
      ) : messages.length === 0 ? (
        <p className={styles.none} role="status">
          {t('search.none', { text: settled })}
        </p>
      ) : (
        <>
          <ul className={styles.found} aria-label={t('search.results')}>
            {messages.map((message) => (
              <li key={message.id}>
                <FoundMessage message={message} onOpen={onOpen} />
              </li>
            ))}
          </ul>
          {found.hasNextPage && (
            <Button
              variant="default"
              className={styles.more}
              loading={found.isFetchingNextPage}
              onClick={() => void found.fetchNextPage()}
            >
              {t('search.more')}
            </Button>
          )}
        </>
      )}
    </div>
  );
}

function FoundMessage({ message, onOpen }: { message: Message; onOpen: (number: number) => void }) {
  const userId = useUser().id;
  const name = message.userId === userId ? undefined : message.user.display_name;
  return (
    <UnstyledButton className={styles.foundOne} onClick={() => onOpen(message.number)}>
      <MessageHead name={name} at={message.createdAt} />
      <span className={styles.foundText} dir="auto">
        {message.textMsg}
      </span>
    </UnstyledButton>
  );
}
