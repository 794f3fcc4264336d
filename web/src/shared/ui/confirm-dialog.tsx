import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './confirm-dialog.module.css';

export interface ConfirmDialogProps {
  isOpen: boolean;
  title: string;
  /** What will happen, naming the thing. */
  children?: ReactNode;
  confirmLabel: string;
  cancelLabel: string;
  /** Something will be gone for good. */
  isDestructive?: boolean;
  isBusy?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  /** The dialog is gone from the screen. When given, it is the caller who moves the focus. */
  onClosed?: (() => void) | undefined;
}

/** Asks before an act that can't be taken back. The way back has the focus first. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isBusy = false, isDestructive = false, onClosed } = props;
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onCancel}
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
