import { Combobox, Modal, TextInput, useCombobox } from '@mantine/core';
import {
  IconBroadcast,
  IconFileImport,
  IconHistory,
  IconLayoutDashboard,
  IconSearch,
  IconUser,
  IconUserCircle,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { nameDirection } from '#src/shared/format/format.ts';
import { memberName } from '#src/shared/format/member-name.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ChannelTalk, HereMark } from '#src/shared/lists/channel-talk.tsx';
import { folded } from '#src/shared/lists/folded.ts';
import { answerTo, firstView, type ListView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, type UserColumn, useChannelsPage, useUsersPage } from '#src/shared/lists/lists.queries.ts';
import { useUser } from '#src/shared/services.tsx';
import { isComposing } from '#src/shared/ui/is-composing.ts';
import { useSaid } from '#src/shared/ui/spoken.tsx';
import { useAfterMount } from '#src/shared/ui/use-after-mount.ts';
import styles from './palette.module.css';

export interface PaletteProps {
  isOpen: boolean;
  onClose: () => void;
  /** Gives what was typed before it stood, once. */
  takeTyped: () => string;
}

/** One place to go to. `value` is unique in the palette. */
interface Place {
  value: string;
  label: string;
  /** Tells equal names apart. */
  more?: string | undefined;
  icon: TablerIcon;
  /** What is going on there. */
  news?: ReactNode;
  to: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

/** Goes to any screen, channel or user by a part of its name (LIST10). */
export function Palette({ isOpen, onClose, takeTyped }: PaletteProps) {
  const { t } = useTranslation('shell');
  return (
    <Modal
      opened={useAfterMount(isOpen)}
      onClose={onClose}
      withCloseButton={false}
      title={t('palette.title')}
      size="lg"
      yOffset="12vh"
      padding={0}
      classNames={{ content: styles.content, header: styles.hidden, body: styles.body }}
    >
      <Search onClose={onClose} takeTyped={takeTyped} />
    </Modal>
  );
}

function Search({ onClose, takeTyped }: Pick<PaletteProps, 'onClose' | 'takeTyped'>) {
  const { t } = useTranslation('shell');
  const words = useErrorWords();
  const navigate = useNavigate();
  const isAdmin = useUser().role === 'admin';
  const [text, setText] = useState('');
  const combobox = useCombobox({ opened: true });
  const listId = useId();
  /** The id of the option that Enter goes to. */
  const [active, setActive] = useState<string>();
  const wanted = folded(text.trim());
  const screens = useScreens().filter(({ label }) => folded(label).includes(wanted));
  const channels = useChannelPlaces(text);
  const users = useUserPlaces(text, isAdmin);
  const all = [...screens, ...channels.places, ...users.places];
  const isAnswered = channels.isAnswered && users.isAnswered;
  const error = channels.error ?? users.error;
  const offered = [screens, channels.isAnswered ? channels.places : [], users.isAnswered ? users.places : []].flat();
  const shown = offered.map(({ value }) => value).join();
  useSaid(all.length === 0 && isAnswered && text !== '' ? t('palette.none') : undefined);

  // The first that is offered is one Enter away.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something else is shown
  useEffect(() => {
    combobox.resetSelectedOption();
    setActive(combobox.selectFirstOption() ?? undefined);
  }, [shown]);

  /** Enter was pressed before the answer. */
  const isWished = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with the answer, once its first place is chosen above
  useEffect(() => {
    if (!isAnswered || !isWished.current) return;
    isWished.current = false;
    combobox.clickSelectedOption();
  }, [isAnswered, shown]);

  // By hand: Mantine's own keys would not tell readers what was chosen above.
  const choose = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') setActive(combobox.selectNextOption() ?? undefined);
    else if (event.key === 'ArrowUp') setActive(combobox.selectPreviousOption() ?? undefined);
    else if (event.key === 'Enter') {
      // Screens are known at once and stay the first; before the answer another place may still come first.
      if (isAnswered || error !== null || screens.length > 0) combobox.clickSelectedOption();
      else isWished.current = true;
    } else return;
    event.preventDefault();
  };

  const go = (value: string) => {
    const place = offered.find((one) => one.value === value);
    if (place === undefined) return;
    onClose();
    void navigate(place.to);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={go}>
      <TextInput
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={active}
        className={styles.search}
        value={text}
        onChange={(event) => {
          isWished.current = false;
          setText(event.currentTarget.value);
        }}
        onFocus={() => {
          // Only now do keys come here by themselves.
          const early = takeTyped();
          if (early !== '') setText((known) => known + early);
        }}
        onKeyDown={choose}
        aria-label={t('palette.title')}
        placeholder={t('palette.placeholder')}
        leftSection={<IconSearch size={18} aria-hidden="true" />}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        data-autofocus
      />
      <Combobox.Options id={listId} className={styles.options} aria-label={t('palette.title')}>
        <Group label={t('palette.screens')} places={screens} isOffered />
        <Group label={t('palette.channels')} places={channels.places} isOffered={channels.isAnswered} />
        <Group label={t('palette.users')} places={users.places} isOffered={users.isAnswered} />
      </Combobox.Options>
      {/* Beside the list, which may hold options alone. */}
      {all.length === 0 && isAnswered && <Combobox.Empty className={styles.empty}>{t('palette.none')}</Combobox.Empty>}
      {error !== null && <Combobox.Empty className={styles.empty}>{words(error)}</Combobox.Empty>}
    </Combobox>
  );
}

function Group(props: { label: string; places: readonly Place[]; isOffered: boolean }): ReactNode {
  const { label, places, isOffered } = props;
  if (places.length === 0) return null;
  return (
    <Combobox.Group label={label}>
      {places.map(({ value, label: name, more, news, icon: Icon }) => (
        <Combobox.Option key={value} value={value} disabled={!isOffered} className={styles.option}>
          <Icon size={18} aria-hidden="true" />
          <bdi className={styles.name} title={name} dir={nameDirection(name)}>
            {name}
          </bdi>
          {more !== undefined && (
            <bdi className={styles.more} title={more}>
              {more}
            </bdi>
          )}
          {news}
        </Combobox.Option>
      ))}
    </Combobox.Group>
  );
}

function useScreens(): Place[] {
  const { t } = useTranslation('shell');
  const { t: app } = useTranslation('app');
  const isAdmin = useUser().role === 'admin';
  const screen = (to: NonNullable<LinkProps['to']>, label: string, icon: TablerIcon): Place => ({
    value: to,
    label,
    icon,
    to: { to },
  });
  return [
    screen('/dashboard', app('nav.dashboard'), IconLayoutDashboard),
    screen('/channelsList', app('nav.channels'), IconBroadcast),
    ...(isAdmin
      ? [
          screen('/usersList', app('nav.users'), IconUsers),
          screen('/activities', app('nav.activities'), IconHistory),
          screen('/usersList/import', t('palette.importUsers'), IconFileImport),
          screen('/channelsList/import', t('palette.importChannels'), IconFileImport),
        ]
      : []),
    screen('/profile', app('account.profile'), IconUserCircle),
  ];
}

const viewOf = <Column extends string>(column: Column, filter: string): ListView<Column> => ({
  ...firstView<Column>(column),
  filter,
});

/** Places of the server. Those of an earlier filter stand until the answer comes, and lead nowhere: Enter would be wrong. */
interface Found {
  places: Place[];
  isAnswered: boolean;
  error: Error | null;
}

function useChannelPlaces(filter: string): Found {
  const { data, error } = useChannelsPage(viewOf<ChannelColumn>('name', filter));
  const places: Place[] = (data?.rows ?? []).map((channel) => ({
    value: channel.id,
    label: channel.name,
    icon: IconBroadcast,
    news: (
      <span className={styles.news}>
        <HereMark channelId={channel.id} />
        <ChannelTalk channel={channel} />
      </span>
    ),
    to: { to: '/groupCallView/$roomId', params: { roomId: channel.rtcSession } },
  }));
  return { places, isAnswered: answerTo(data, filter) !== undefined, error };
}

/** Nobody before a letter is typed: of thousands the first five say nothing. */
function useUserPlaces(filter: string, isAdmin: boolean): Found {
  const { data, error } = useUsersPage(viewOf<UserColumn>('lastName', filter), { isOff: !isAdmin, needsFilter: true });
  if (!isAdmin || filter.trim() === '') return { places: [], isAnswered: true, error: null };
  const places: Place[] = (data?.rows ?? []).map((user) => ({
    value: user.id,
    label: memberName(user),
    more: user.identifier,
    icon: IconUser,
    to: { to: '/usersList', search: { panel: `sheet:${user.id}` } },
  }));
  return { places, isAnswered: answerTo(data, filter) !== undefined, error };
}
