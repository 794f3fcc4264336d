import { ActionIcon, Textarea, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { MESSAGE_MAX_LENGTH } from '@pressel/contract/limits';
import { isVisible } from '@pressel/contract/text';
import type { ChannelMember } from '@pressel/contract/users';
import { IconPaperclip, IconSend2 } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  type AriaAttributes,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { nameDirection, namesOf } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { folded } from '#src/shared/lists/folded.ts';
import { useApi, useStorage, useUser } from '#src/shared/services.tsx';
import { useAnnounce, useFoundAnnouncement } from '#src/shared/ui/announcer.tsx';
import { isComposing } from '#src/shared/ui/is-composing.ts';
import mentionPickerStyles from './mention-picker.module.css';
import styles from './messages-panel.module.css';
import { mentionOf, nameBegun } from './text-parts.ts';

export interface ComposerProps {
  channelId: ChannelId;
  /** False until the outbox is loaded. */
  canSend: boolean;
  onTyped: () => void;
  onSend: (text: string) => void;
  /** The user wants to send an image: the pasted files, or a file still to choose. */
  onImage: (files: readonly File[]) => void;
  /** The button that opens the search where its box is folded. */
  search: ReactNode;
}

/** The field for a message. Its text survives a reload [CHATS33]. */
export function Composer({ channelId, canSend, onTyped, onSend, onImage, search }: ComposerProps) {
  const { t } = useTranslation('chat');
  const storage = useStorage();
  const hintId = useId();
  const [text, setText] = useState(() => storage.readDraft(channelId));
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState<number>();
  const say = useAnnounce();
  const tooLong = useTooLong(text);
  const isReady = canSend && isVisible(text) && tooLong === undefined;

  const change = (next: string) => {
    setText(next);
    storage.keepDraft(channelId, next);
  };
  const picker = useMentionPicker({
    ...{ channelId, text, caret },
    onPick(next, nextCaret) {
      // Applied at once: the caret must be behind the name before the user goes on typing.
      flushSync(() => {
        change(next);
        setCaret(nextCaret);
      });
      field.current?.setSelectionRange(nextCaret, nextCaret);
    },
  });
  const submit = () => {
    if (tooLong !== undefined) say(tooLong);
    if (!isReady) return;
    onSend(text.trim());
    change('');
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event) || picker.onKey(event)) return;
    if (event.key === 'Escape') event.currentTarget.blur();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    submit();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    // Text processors put an image beside the copied text.
    if (files.length === 0 || event.clipboardData.types.includes('text/plain')) return;
    event.preventDefault();
    onImage(files);
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {picker.list}
      {search}
      <ActionIcon
        variant="subtle"
        className={styles.tool}
        aria-label={t('composer.attach')}
        title={t('composer.attach')}
        disabled={!canSend}
        onClick={() => onImage([])}
      >
        <IconPaperclip size={20} aria-hidden="true" />
      </ActionIcon>
      <Textarea
        ref={field}
        {...picker.field}
        onSelect={({ currentTarget: { selectionStart, selectionEnd } }) =>
          setCaret(selectionStart === selectionEnd ? selectionStart : undefined)
        }
        onBlur={() => setCaret(undefined)}
        className={styles.field}
        data-kept=""
        autosize
        minRows={1}
        maxRows={6}
        value={text}
        error={tooLong}
        onChange={(event) => {
          change(event.currentTarget.value);
          setCaret(event.currentTarget.selectionStart);
          if (isVisible(event.currentTarget.value)) onTyped();
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        placeholder={t('composer.placeholder')}
        aria-label={t('composer.label')}
        aria-describedby={hintId}
        enterKeyHint="send"
        dir="auto"
        // Escape leaves the field, not the drawer around it.
        data-mantine-stop-propagation="true"
      />
      <span id={hintId} className="spoken">
        {t('composer.hint')}
      </span>
      <ActionIcon
        type="submit"
        variant="filled"
        className={styles.tool}
        aria-label={t('composer.send')}
        title={t('composer.send')}
        disabled={!isReady}
      >
        <IconSend2 size={20} aria-hidden="true" />
      </ActionIcon>
    </form>
  );
}

/**
 * The words for a text that is longer than a message may be; undefined for any other. A field with a length limit would
 * cut off the end of a pasted text without a word [CHATS34].
 */
export function useTooLong(text: string): string | undefined {
  const { t } = useTranslation('chat');
  const { length } = text.trim();
  return length > MESSAGE_MAX_LENGTH ? t('composer.tooLong', { length, max: MESSAGE_MAX_LENGTH }) : undefined;
}

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
function useMentionPicker({ channelId, text, caret, onPick }: MentionPickerInput): MentionPicker {
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
    <div id={id} role="listbox" aria-label={t('mention.label')} className={mentionPickerStyles.list}>
      {people.map((one, at) => (
        <UnstyledButton
          key={one.id}
          ref={at === index ? (option) => option?.scrollIntoView({ block: 'nearest' }) : undefined}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === index}
          className={mentionPickerStyles.one}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(at)}
        >
          <span dir={nameDirection(one.display_name)}>{one.display_name}</span>
          {one.pseudo !== '' && <bdi className={mentionPickerStyles.more}>{namesOf(one)}</bdi>}
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
