import { Combobox, Modal, TextInput, useCombobox } from '@mantine/core';
import type { User } from '@pressel/contract/users';
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
import { memberName, nameDirection } from '#src/shared/format/format.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ChannelTalk, JoinedChannelMark } from '#src/shared/lists/channel-talk.tsx';
import { folded } from '#src/shared/lists/folded.ts';
import { answerTo, firstView, type ListView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, type UserColumn, useChannelsPage, useUsersPage } from '#src/shared/lists/lists.queries.ts';
import { useLink, useUser } from '#src/shared/services.tsx';
import { useAnnouncement } from '#src/shared/ui/announcer.tsx';
import { isComposing } from '#src/shared/ui/is-composing.ts';
import { useAfterMount } from '#src/shared/ui/use-made-menu.ts';
import styles from './palette.module.css';
import { fitsName, readOrder } from './palette.rules.ts';
import { type Command, useCallCommands, useCommands } from './palette-commands.ts';

export interface PaletteProps {
  isOpen: boolean;
  onClose: () => void;
  /** Returns, once, the text typed before the field was there. */
  takeTyped: () => string;
  /** Shows the keys. */
  onKeys: () => void;
}

/** One place to go to. `value` is unique in the palette, commands included. */
interface PaletteTarget {
  value: string;
  label: string;
  /** Tells equal names apart. */
  more?: string | undefined;
  icon: TablerIcon;
  /** The news of the cursor, such as who talks there. */
  news?: ReactNode;
  to: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

/** Goes to any screen, channel or user by a part of its name (LIST10), and runs commands (LIST14). */
export function Palette({ isOpen, ...props }: PaletteProps) {
  const { t } = useTranslation('shell');
  return (
    <Modal
      opened={useAfterMount(isOpen)}
      onClose={props.onClose}
      withCloseButton={false}
      title={t('palette.title')}
      size="lg"
      yOffset="12vh"
      padding={0}
      classNames={{ content: styles.content, header: styles.hidden, body: styles.body }}
    >
      <Search {...props} />
    </Modal>
  );
}

function Search({ onClose, takeTyped, onKeys }: Omit<PaletteProps, 'isOpen'>) {
  const { t } = useTranslation('keyPanels');
  const title = useTranslation('shell').t('palette.title');
  const words = useErrorWords();
  const navigate = useNavigate();
  const isAdmin = useUser().role === 'admin';
  const isLinkLost = useLink() === 'down';
  const [text, setText] = useState('');
  const combobox = useCombobox({ opened: true });
  const listId = useId();
  /** The id of the option that Enter goes to. */
  const [active, setActive] = useState<string>();
  const verbs = { call: t('command.callVerb'), enter: t('command.enterVerb') };
  const { verb, wanted } = readOrder(text, verbs);
  const isNamed = ({ label }: Row) => verb === undefined && folded(label).includes(folded(wanted));
  const screens = useScreens().filter(isNamed);
  // A channel may be named like an order: "Call centre".
  const channels = useChannelTargets(verb === 'call' ? text.trim() : wanted);
  const found = useFoundUsers(wanted, isAdmin && verb !== 'enter', verb !== 'call');
  const isPersonMeant = found.users.some((user) => fitsName(memberName(user), wanted));
  const calls = useCallCommands(found.users);
  const commands = useCommands({ onKeys, onVerb: (one) => setText(`${verbs[one]} `) }).filter(isNamed);
  const users: Group = {
    label: t('palette.users'),
    rows: verb === 'call' ? calls : found.users.map(targetOfUser),
    isOffered: found.isAnswered,
  };
  const groups: Group[] = [
    ...(isPersonMeant ? [users] : []),
    { label: t('palette.screens'), rows: screens, isOffered: true },
    { label: t('palette.channels'), rows: channels.places, isOffered: channels.isAnswered },
    ...(isPersonMeant ? [] : [users]),
    {
      label: t('palette.commands'),
      // The person meant can be called at once.
      rows: [...commands, ...(isPersonMeant && verb === undefined ? calls.slice(0, 1) : [])],
      isOffered: true,
    },
  ];
  const all = groups.flatMap(({ rows }) => rows);
  const isAnswered = channels.isAnswered && found.isAnswered;
  const error = channels.error ?? found.error;
  const offered = groups.flatMap(({ rows, isOffered }) => (isOffered ? rows : []));
  // Options that aren't offered count too: the combobox identifies options by their place among all.
  const shown = groups.map(({ rows, isOffered }) => `${isOffered} ${rows.map(({ value }) => value)}`).join();
  useAnnouncement(all.length === 0 && isAnswered && text !== '' ? t('palette.none') : undefined);

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
    if (!(isAnswered || error !== null) || !isWished.current) return;
    isWished.current = false;
    combobox.clickSelectedOption();
  }, [isAnswered, error, shown]);

  // Handled by hand: Mantine's own keys would not tell screen readers what was chosen above.
  const choose = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') setActive(combobox.selectNextOption() ?? undefined);
    else if (event.key === 'ArrowUp') setActive(combobox.selectPreviousOption() ?? undefined);
    else if (event.key === 'Enter') {
      // Screens are known at once and stay the first, unless a person may be meant; else another place may still come first.
      const isFirst = screens.length > 0 && !(isAdmin && wanted !== '');
      // Without a link no answer comes.
      const isAll = isAnswered || error !== null || (isLinkLost && offered.length > 0);
      if (isAll || isFirst) combobox.clickSelectedOption();
      else isWished.current = true;
    } else return;
    event.preventDefault();
  };

  const go = (value: string) => {
    const row = offered.find((one) => one.value === value);
    if (row === undefined) return;
    // A verb goes into the field, and its object follows.
    if (value !== 'call' && value !== 'enter') onClose();
    if ('run' in row) row.run();
    else void navigate(row.to);
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
          // From now on the field receives keys by itself.
          const early = takeTyped();
          if (early !== '') setText((known) => known + early);
        }}
        onKeyDown={choose}
        aria-label={title}
        placeholder={t('palette.placeholder')}
        leftSection={<IconSearch size={18} aria-hidden="true" />}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        data-autofocus
      />
      <Combobox.Options id={listId} className={styles.options} aria-label={title}>
        {groups.map((group) => (
          <Rows key={group.label} {...group} />
        ))}
      </Combobox.Options>
      {/* Placed beside the list, which may hold options alone. */}
      {all.length === 0 && isAnswered && <Combobox.Empty className={styles.empty}>{t('palette.none')}</Combobox.Empty>}
      {error !== null && <Combobox.Empty className={styles.empty}>{words(error)}</Combobox.Empty>}
    </Combobox>
  );
}

type Row = PaletteTarget | Command;

interface Group {
  label: string;
  rows: readonly Row[];
  isOffered: boolean;
}

function Rows({ label, rows, isOffered }: Group): ReactNode {
  if (rows.length === 0) return null;
  return (
    <Combobox.Group label={label}>
      {rows.map((row) => (
        <Combobox.Option key={row.value} value={row.value} disabled={!isOffered} className={styles.option}>
          <row.icon size={18} aria-hidden="true" />
          <bdi className={styles.name} title={row.label} dir={nameDirection(row.label)}>
            {row.label}
          </bdi>
          {row.more !== undefined && (
            <bdi className={styles.more} title={row.more}>
              {row.more}
            </bdi>
          )}
          {'news' in row && row.news}
        </Combobox.Option>
      ))}
    </Combobox.Group>
  );
}

function useScreens(): PaletteTarget[] {
  const { t } = useTranslation('keyPanels');
  const { t: app } = useTranslation('app');
  const isAdmin = useUser().role === 'admin';
  const screen = (to: NonNullable<LinkProps['to']>, label: string, icon: TablerIcon): PaletteTarget => ({
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

/**
 * Places that the server found. Those of an earlier filter stay until the answer comes, but lead nowhere: Enter would
 * be wrong.
 */
interface Found {
  places: PaletteTarget[];
  isAnswered: boolean;
  error: Error | null;
}

function useChannelTargets(filter: string): Found {
  const { data, error } = useChannelsPage(viewOf<ChannelColumn>('name', filter));
  const places: PaletteTarget[] = (data?.rows ?? []).map((channel) => ({
    value: channel.id,
    label: channel.name,
    icon: IconBroadcast,
    news: (
      <span className={styles.news}>
        <JoinedChannelMark channelId={channel.id} />
        <ChannelTalk channel={channel} />
      </span>
    ),
    to: { to: '/groupCallView/$roomId', params: { roomId: channel.rtcSession } },
  }));
  return { places, isAnswered: answerTo(data, filter) !== undefined, error };
}

interface FoundUsers {
  users: readonly User[];
  isAnswered: boolean;
  error: Error | null;
}

/** Finds nobody before a letter is typed, unless the order asks for people: the first five of thousands say nothing. */
function useFoundUsers(filter: string, isAsked: boolean, needsFilter: boolean): FoundUsers {
  const view = viewOf<UserColumn>('lastName', filter);
  const { data, error } = useUsersPage(view, { isOff: !isAsked, needsFilter });
  if (!isAsked || (needsFilter && filter === '')) return { users: [], isAnswered: true, error: null };
  return { users: data?.rows ?? [], isAnswered: answerTo(data, filter) !== undefined, error };
}

const targetOfUser = (user: User): PaletteTarget => ({
  value: user.id,
  label: memberName(user),
  more: user.identifier,
  icon: IconUser,
  to: { to: '/usersList', search: { panel: `sheet:${user.id}` } },
});
