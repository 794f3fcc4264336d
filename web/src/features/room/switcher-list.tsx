import { Combobox, type ComboboxStore, useCombobox } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useEffect, useId, useState } from 'react';
import { UnreadMark } from '#src/features/chat/chat-context.tsx';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { ChannelTalk, ConnectedCount, JoinedChannelMark } from '#src/shared/lists/channel-talk.tsx';
import { answerTo, firstView } from '#src/shared/lists/list-view.ts';
import { useChannelsPage } from '#src/shared/lists/lists.queries.ts';
import styles from './channel-switcher.module.css';

/** Channels shown at once; the filter leads to the others. */
const SHOWN_MAX = 25;

export interface SwitcherListProps {
  here: ChannelId | undefined;
  button: ReactElement;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** The list that the switcher's button opens. */
export function SwitcherList({ here, button, isOpen, onOpen }: SwitcherListProps) {
  const navigate = useNavigate();
  const combobox = useCombobox({
    opened: isOpen,
    onOpenedChange: onOpen,
    onDropdownClose: () => combobox.resetSelectedOption(),
  });
  return (
    <Combobox
      store={combobox}
      width="min(320px, calc(100vw - 24px))"
      position="bottom-start"
      keepMounted={false}
      onOptionSubmit={(roomId) => {
        combobox.closeDropdown();
        void navigate({ to: '/groupCallView/$roomId', params: { roomId } });
      }}
    >
      <Combobox.Target withAriaAttributes={false}>{button}</Combobox.Target>
      <Combobox.Dropdown>{isOpen && <Channels here={here} combobox={combobox} />}</Combobox.Dropdown>
    </Combobox>
  );
}

function Channels({ here, combobox }: { here: ChannelId | undefined; combobox: ComboboxStore }) {
  const t = useVoiceWords();
  const listId = useId();
  const [filter, setFilter] = useState('');
  const { data, isError } = useChannelsPage({ ...firstView('name', SHOWN_MAX), filter });
  // Results of an earlier filter stay visible but can't be chosen: Enter would lead into a channel that nobody typed.
  const answer = answerTo(data, filter);
  const shown = answer?.rows.map(({ id }) => id).join();
  const isFiltered = filter.trim() !== '';
  const hidden = (data?.total ?? 0) - (data?.rows.length ?? 0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list opens
  useEffect(() => combobox.focusSearchInput(), []);

  // Enter opens the first channel that is found. In the list of all channels none is selected: the Enter that opened it
  // may still be held.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something else is shown
  useEffect(() => {
    combobox.resetSelectedOption();
    if (isFiltered) combobox.selectFirstOption();
  }, [shown, isFiltered]);
  return (
    <>
      <Combobox.Search
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-label={t('switcher.filter')}
        placeholder={t('switcher.filter')}
      />
      <Combobox.Options id={listId} className={styles.options} mah={360} aria-label={t('switcher.label')}>
        {data?.rows.map((channel) => (
          <Combobox.Option
            key={channel.id}
            value={channel.rtcSession}
            disabled={answer === undefined || channel.id === here}
            className={styles.option}
          >
            <span className={styles.two}>
              <span className={styles.name} title={channel.name} dir="auto">
                {channel.name}
              </span>
              <ChannelTalk channel={channel} />
            </span>
            <UnreadMark channelId={channel.id} />
            <JoinedChannelMark channelId={channel.id} />
            <ConnectedCount connected={channel.connected} userCount={channel.userCount} />
          </Combobox.Option>
        ))}
      </Combobox.Options>
      {/* Placed beside the list, which may hold options alone. */}
      {answer?.rows.length === 0 && <Combobox.Empty>{t('switcher.none')}</Combobox.Empty>}
      {isError && <Combobox.Empty>{t('switcher.failed')}</Combobox.Empty>}
      {hidden > 0 && <Combobox.Footer>{t('switcher.more', { count: hidden })}</Combobox.Footer>}
    </>
  );
}
