import { VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import styles from './review-table.module.css';

export interface ReviewCellProps {
  text: string;
  /** The reason of its fault; undefined without one. */
  reason: string | undefined;
  /** The note on how the cell was read, when that isn't obvious. */
  note: string | undefined;
  /** Whether the text is shown as dots, also while typing. */
  isSecret: boolean;
  label: string;
  columnIndex: number;
  /** The grid's active cell, which has tabindex 0. */
  isActive: boolean;
  /** Move the focus to this cell. */
  takesFocus: boolean;
  /** The text being typed; undefined while not editing. */
  draft: string | undefined;
  onOpen: () => void;
  onType: (text: string) => void;
  onLeave: () => void;
}

/** A cell of the file, which can be edited in place. */
export function ReviewCell(props: ReviewCellProps) {
  const { reason, note, draft, takesFocus } = props;
  const cell = useRef<HTMLTableCellElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isEdited = draft !== undefined;
  // Whether the cell says nothing else about its text.
  const isPlain = reason === undefined && note === undefined && !props.isSecret;
  useEffect(() => {
    if (!takesFocus) return;
    if (isEdited) {
      input.current?.focus({ preventScroll: true });
      input.current?.select();
    } else cell.current?.focus({ preventScroll: true });
  }, [takesFocus, isEdited]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of all its cells
    <td
      ref={cell}
      className={styles.cell}
      aria-colindex={props.columnIndex}
      aria-invalid={reason !== undefined || undefined}
      data-fault={reason !== undefined || undefined}
      data-edited={isEdited || undefined}
      tabIndex={props.isActive && !isEdited ? 0 : -1}
      title={reason ?? note}
      onClick={isEdited ? undefined : props.onOpen}
    >
      {isEdited ? (
        <input
          ref={input}
          type={props.isSecret ? 'password' : 'text'}
          className={styles.input}
          value={draft}
          aria-label={props.label}
          aria-invalid={reason !== undefined}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          onChange={(event) => props.onType(event.currentTarget.value)}
          onBlur={props.onLeave}
        />
      ) : (
        <>
          {reason !== undefined && <IconAlertTriangle className={styles.icon} size={14} aria-hidden="true" />}
          {note !== undefined && <IconInfoCircle className={styles.note} size={14} aria-hidden="true" />}
          <bdi className={styles.text} title={isPlain ? props.text : undefined}>
            {props.isSecret && props.text !== '' ? '••••••' : props.text}
          </bdi>
          {(reason ?? note) !== undefined && <VisuallyHidden>{reason ?? note}</VisuallyHidden>}
        </>
      )}
    </td>
  );
}
