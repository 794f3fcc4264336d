import { ActionIcon, Textarea } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { isVisible } from '@pressel/contract/text';
import { IconPaperclip, IconSend2 } from '@tabler/icons-react';
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useStorage } from '#src/shared/services.tsx';
import { useAnnounce } from '#src/shared/ui/announcer.tsx';
import { isComposing } from '#src/shared/ui/is-composing.ts';
import { useMentionPicker } from './mention-picker.tsx';
import styles from './messages-panel.module.css';
import { useTooLong } from './too-long.ts';

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
