import { Button, Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import styles from './form-dialog.module.css';
import { useAfterMount } from './use-made-menu.ts';

/** A form's controls of its dialog. */
export interface FormHandle {
  /** Sets whether closing would lose input; see `useUnsaved`. */
  setUnsaved: (isUnsaved: boolean) => void;
  /** Sets whether another dialog is open above this one, which then handles Escape; see `useCover`. */
  setCovered: (isCovered: boolean) => void;
  /** Closes without asking, after saving. */
  close: () => void;
  /** Closes; asks first if input would be lost. */
  cancel: () => void;
}

export interface FormDialogProps {
  isOpen: boolean;
  title: string;
  /** Has space for two columns, where the screen allows. */
  isWide?: boolean;
  /** Removes the dialog from the URL. */
  onClose: () => void;
  /** Called after the closing transition. If given, the caller has to restore the focus. */
  onClosed?: () => void;
  children: (form: FormHandle) => ReactNode;
}

/** On phones a form fills the screen. */
const NARROW = '(max-width: 599px)';

/** A form in a dialog whose open state is in the URL. Closing it (also by browser 'back') confirms unsaved input. */
export function FormDialog({ isOpen, title, isWide = false, onClose, onClosed, children }: FormDialogProps) {
  const { t } = useTranslation('shared');
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const isUnsaved = useRef(false);
  /** The focused element when the user was about to leave. */
  const leftFrom = useRef<Element | null>(null);
  const [isCovered, setCovered] = useState(false);
  const setUnsaved = (next: boolean) => {
    isUnsaved.current = next;
  };
  const leaving = useBlocker({
    shouldBlockFn: () => {
      leftFrom.current = document.activeElement;
      return isUnsaved.current;
    },
    enableBeforeUnload: () => isUnsaved.current,
    withResolver: true,
    disabled: !isOpen,
  });
  const isAsking = leaving.status === 'blocked';
  // The question closes at once, with the button that had the focus.
  useEffect(() => {
    if (!isAsking && document.activeElement === document.body && leftFrom.current instanceof HTMLElement)
      leftFrom.current.focus();
  }, [isAsking]);
  return (
    <>
      <Modal
        opened={useAfterMount(isOpen)}
        onClose={onClose}
        {...(onClosed === undefined ? {} : { onExitTransitionEnd: onClosed, returnFocus: false })}
        title={title}
        size={isWide ? 1080 : 'lg'}
        fullScreen={isNarrow ?? false}
        classNames={{ content: styles.content, body: styles.body }}
        closeOnEscape={!isAsking && !isCovered}
        // A stray click beside the form must not close it.
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {children({
          setUnsaved,
          setCovered,
          close: () => {
            setUnsaved(false);
            onClose();
          },
          cancel: onClose,
        })}
      </Modal>
      {/* Mounted only while asking: otherwise the Escape that opens it would also close it. */}
      {isAsking && (
        <ConfirmDialog
          isOpen
          title={t('unsaved.title')}
          confirmLabel={t('unsaved.discard')}
          cancelLabel={t('unsaved.stay')}
          onConfirm={() => leaving.proceed?.()}
          onCancel={() => leaving.reset?.()}
        >
          {t('unsaved.text')}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Tells the dialog whether closing would lose input. */
export function useUnsaved({ setUnsaved }: Pick<FormHandle, 'setUnsaved'>, isUnsaved: boolean): void {
  useEffect(() => {
    setUnsaved(isUnsaved);
    return () => setUnsaved(false);
  }, [setUnsaved, isUnsaved]);
}

/** Tells the dialog whether another one is open above it. */
export function useCover({ setCovered }: Pick<FormHandle, 'setCovered'>, isCovered: boolean): void {
  useEffect(() => {
    setCovered(isCovered);
    return () => setCovered(false);
  }, [setCovered, isCovered]);
}

/** The buttons of a form, sticky while it scrolls. */
export function FormActs({ form, children }: { form: Pick<FormHandle, 'cancel'>; children: ReactNode }) {
  const { t } = useTranslation('shared');
  return (
    <div className={styles.acts}>
      <Button variant="default" onClick={form.cancel}>
        {t('cancel')}
      </Button>
      {children}
    </div>
  );
}
