import { ActionIcon, Combobox, type ComboboxStore, Tooltip, useCombobox } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { UnreadMark } from '#src/features/chat/unread-mark.tsx';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { answerTo, firstView } from '#src/shared/lists/list-view.ts';
import { useChannelsPage } from '#src/shared/lists/lists.queries.ts';
import { ConnectedCount } from '#src/shared/ui/connected-count.tsx';
import styles from './channel-switcher.module.css';

/** Channels shown at once; the filter leads to the others. */
const SHOWN_MAX = 25;

/** From a room straight into another one: opens a list of one's channels, with a filter. */
export function ChannelSwitcher({ channelId }: { channelId: ChannelId | undefined }) {
  const t = useVoiceWords();
  const navigate = useNavigate();
  const stays = useStays();
  const combobox = useCombobox({
    onDropdownOpen: () => {
      // Whoever looks elsewhere has stopped talking [TALK66].
      stays.getSnapshot()?.room.stop();
      combobox.focusSearchInput();
    },
    onDropdownClose: () => combobox.resetSelectedOption(),
  });
  const label = t('switcher.label');
  return (
    <Combobox
      store={combobox}
      width={320}
      position="bottom-start"
      onOptionSubmit={(roomId) => {
        combobox.closeDropdown();
        void navigate({ to: '/groupCallView/$roomId', params: { roomId } });
      }}
    >
      <Combobox.Target withAriaAttributes={false}>
        <Tooltip label={label}>
          <ActionIcon
            variant="subtle"
            aria-label={label}
            aria-haspopup="listbox"
            aria-expanded={combobox.dropdownOpened}
            onClick={() => combobox.toggleDropdown()}
          >
            <IconSelector size={18} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </Combobox.Target>
      <Combobox.Dropdown>
        {combobox.dropdownOpened && <Channels here={channelId} combobox={combobox} />}
      </Combobox.Dropdown>
    </Combobox>
  );
}

function Channels({ here, combobox }: { here: ChannelId | undefined; combobox: ComboboxStore }) {
  const t = useVoiceWords();
  const [filter, setFilter] = useState('');
  const { data, isError } = useChannelsPage({ ...firstView('name', SHOWN_MAX), filter });
  // What an earlier filter found stands, and is not offered: Enter would lead into a channel that nobody typed.
  const answer = answerTo(data, filter);
  const shown = answer?.rows.map(({ id }) => id).join();
  const isFiltered = filter.trim() !== '';
  const hidden = (data?.total ?? 0) - (data?.rows.length ?? 0);

  // The first that is found is one Enter away. Of all channels none is: the Enter that opened them may still be held.
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
        aria-label={t('switcher.filter')}
        placeholder={t('switcher.filter')}
      />
      <Combobox.Options className={styles.options} mah={360}>
        {data?.rows.map((channel) => (
          <Combobox.Option
            key={channel.id}
            value={channel.rtcSession}
            disabled={answer === undefined || channel.id === here}
            className={styles.option}
          >
            <span className={styles.name} dir="auto">
              {channel.name}
            </span>
            <UnreadMark channelId={channel.id} />
            {channel.id === here ? (
              <IconCheck size={16} aria-hidden="true" />
            ) : (
              <ConnectedCount connected={channel.connected} userCount={channel.userCount} />
            )}
          </Combobox.Option>
        ))}
        {answer?.rows.length === 0 && <Combobox.Empty>{t('switcher.none')}</Combobox.Empty>}
        {isError && <Combobox.Empty>{t('switcher.failed')}</Combobox.Empty>}
      </Combobox.Options>
      {hidden > 0 && <Combobox.Footer>{t('switcher.more', { count: hidden })}</Combobox.Footer>}
    </>
  );
}
