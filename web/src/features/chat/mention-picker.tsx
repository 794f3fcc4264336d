import { UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type AriaAttributes, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { nameDirection, namesOf } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { folded } from '#src/shared/lists/folded.ts';
import { useFoundAnnouncement } from '#src/shared/lists/use-found-announcement.ts';
import { useApi, useUser } from '#src/shared/services.tsx';
import styles from './mention-picker.module.css';
import { mentionOf, nameBegun } from './mentions.ts';

/** Maximum number of names that are offered at once. */
const OFFERED_MAX = 6;
/** Debounce of the letters after the `@`, ms. */
const TYPING_PAUSE_MS = 200;

interface MentionPickerInput {
  channelId: ChannelId;
  text: string;
  /** Caret position in the text; undefined without the focus, and while a part of the text is selected. */
  caret: number | undefined;
  /** Called with the text that contains the name, and the new caret position. */
  onPick: (text: string, caret: number) => void;
}

interface MentionPicker {
  /** The list of names above the field; undefined while there are none. */
  list: ReactNode;
  /**
   * ARIA attributes by which the field describes the list. The field stays a text box: HTML allows no `combobox` of
   * several lines, and a text box may also have an active descendant.
   */
  field: AriaAttributes;
  /** Returns whether the list handled the key. */
  onKey: (event: KeyboardEvent) => boolean;
}

/** Offers a channel's members to a user who types an `@` [CHATS59]. */
export function useMentionPicker({ channelId, text, caret, onPick }: MentionPickerInput): MentionPicker {
  const { t } = useTranslation('chat');
  const id = useId();
  const [current, setCurrent] = useState({ begun: '', index: 0 });
  /** Index of the `@` whose list the user has closed. */
  const [closedAt, setClosedAt] = useState<number>();
  const name = caret === undefined ? undefined : nameBegun(text.slice(0, caret));
  if (closedAt !== undefined && name?.at !== closedAt) setClosedAt(undefined);
  const begun = name?.begun ?? '';
  const people = useMentionable(channelId, begun, name !== undefined && name.at !== closedAt);
  const index = current.begun === begun ? Math.min(current.index, people.length - 1) : 0;
  const isOpen = people.length > 0;
  useFoundAnnouncement(name === undefined ? '' : `@${begun}`, isOpen ? people.length : undefined);

  const pick = (at: number) => {
    const person = people[at];
    if (person === undefined || name === undefined || caret === undefined) return;
    const before = `${text.slice(0, name.at)}${mentionOf(person.display_name)} `;
    onPick(before + text.slice(caret).replace(/^ /u, ''), before.length);
  };
  const onKey = (event: KeyboardEvent): boolean => {
    // With a modifier, these keys select text, start a line or leave the field.
    if (!isOpen || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setCurrent({ begun, index: (index + step + people.length) % people.length });
    else if (event.key === 'Escape') setClosedAt(name?.at);
    else if (event.key === 'Enter' || event.key === 'Tab') pick(index);
    else return false;
    event.preventDefault();
    return true;
  };
  const list = isOpen ? (
    <div id={id} role="listbox" aria-label={t('mention.label')} className={styles.list}>
      {people.map((one, at) => (
        <UnstyledButton
          key={one.id}
          ref={at === index ? (option) => option?.scrollIntoView({ block: 'nearest' }) : undefined}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === index}
          className={styles.one}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(at)}
        >
          <span dir={nameDirection(one.display_name)}>{one.display_name}</span>
          {one.pseudo !== '' && <bdi className={styles.more}>{namesOf(one)}</bdi>}
        </UnstyledButton>
      ))}
    </div>
  ) : undefined;
  return {
    list,
    field: {
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      ...(isOpen && { 'aria-controls': id, 'aria-activedescendant': `${id}-${index}` }),
    },
    onKey,
  };
}

/** The members whose names match the typed letters, without the user. */
function useMentionable(channelId: ChannelId, begun: string, isWanted: boolean): readonly ChannelMember[] {
  const api = useApi();
  const me = useUser().id;
  const [asked] = useDebouncedValue(begun, TYPING_PAUSE_MS);
  const { data } = useQuery({
    queryKey: ['mentionable', channelId, asked],
    queryFn: async ({ signal }) => {
      const rows = { channelId, start: 0, limit: OFFERED_MAX + 1, presentFirst: true, order: 'asc' } as const;
      const found = await api.call(getUsersInChannel, { ...rows, ...(asked && { filter: asked }) }, { signal });
      return { asked, people: found.res };
    },
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  // Until the answer arrives, the previous one is narrowed: Enter never chooses somebody whose name doesn't match.
  if (!isWanted || data === undefined || !begun.startsWith(data.asked)) return [];
  const fits = ({ firstName, lastName, pseudo }: ChannelMember) =>
    begun === data.asked || folded(`${firstName} ${lastName} ${pseudo}`).includes(folded(begun));
  return data.people.filter((one) => one.id !== me && fits(one)).slice(0, OFFERED_MAX);
}
