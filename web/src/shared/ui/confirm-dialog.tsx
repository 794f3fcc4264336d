import { Button, getDefaultZIndex, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './confirm-dialog.module.css';

export interface ConfirmDialogProps {
  isOpen: boolean;
  title: string;
  /** The consequences, naming the object. */
  children?: ReactNode;
  confirmLabel: string;
  cancelLabel: string;
  /** The action cannot be undone. */
  isDestructive?: boolean;
  isBusy?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  /** Called after the closing transition. If given, the caller has to restore the focus. */
  onClosed?: (() => void) | undefined;
}

/** Confirms an action that can't be undone. The cancel button has the initial focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isBusy = false, isDestructive = false, onClosed } = props;
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onCancel}
      // Above a dialog that opened later, while this one was closed: each keeps its place in the page.
      zIndex={getDefaultZIndex('modal') + 1}
      onExitTransitionEnd={() => onClosed?.()}
      returnFocus={onClosed === undefined}
      title={props.title}
      withCloseButton={false}
      centered
      size="sm"
    >
      {props.children}
      <div className={styles.acts}>
        <Button variant="default" onClick={props.onCancel} data-autofocus>
          {props.cancelLabel}
        </Button>
        <Button onClick={props.onConfirm} loading={isBusy} {...(isDestructive ? { color: 'fault' } : {})}>
          {props.confirmLabel}
        </Button>
      </div>
    </Modal>
  );
}
