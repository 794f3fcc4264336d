import { Button, Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from './confirm-dialog.tsx';
import styles from './form-dialog.module.css';

/** What a form may do with the dialog that it stands in. */
export interface FormHandle {
  /** Whether something would be lost; the form tells by `useUnsaved`. */
  setUnsaved: (isUnsaved: boolean) => void;
  /** Whether another dialog stands over this one: Escape is that one's then. The form tells by `useCover`. */
  setCovered: (isCovered: boolean) => void;
  /** Closes without asking: all is saved. */
  close: () => void;
  /** Closes, after asking when something would be lost. */
  cancel: () => void;
}

export interface FormDialogProps {
  isOpen: boolean;
  title: string;
  /** Takes the dialog out of the address. */
  onClose: () => void;
  /** It is gone from the screen. Whoever asks to be told gives the focus back as well. */
  onClosed?: () => void;
  children: (form: FormHandle) => ReactNode;
}

/** Phones: a form has the whole screen. */
const NARROW = '(max-width: 599px)';

/** A form in a dialog that stands in the address. Any way out of it, the browser's included, asks before work is lost. */
export function FormDialog({ isOpen, title, onClose, onClosed, children }: FormDialogProps) {
  const { t } = useTranslation('shared');
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const isUnsaved = useRef(false);
  const [isCovered, setCovered] = useState(false);
  const setUnsaved = (next: boolean) => {
    isUnsaved.current = next;
  };
  const leaving = useBlocker({
    shouldBlockFn: () => isUnsaved.current,
    enableBeforeUnload: () => isUnsaved.current,
    withResolver: true,
    disabled: !isOpen,
  });
  const isAsking = leaving.status === 'blocked';
  return (
    <>
      <Modal
        opened={isOpen}
        onClose={onClose}
        {...(onClosed === undefined ? {} : { onExitTransitionEnd: onClosed, returnFocus: false })}
        title={title}
        size="lg"
        fullScreen={isNarrow ?? false}
        classNames={{ content: styles.content, body: styles.body }}
        closeOnEscape={!isAsking && !isCovered}
        // What was typed must not hang on a click beside the form.
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
      {/* Not there before it is asked for: it would hear the very Escape that asks for it, and close again. */}
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

/** Tells the dialog whether something would be lost. */
export function useUnsaved({ setUnsaved }: Pick<FormHandle, 'setUnsaved'>, isUnsaved: boolean): void {
  useEffect(() => {
    setUnsaved(isUnsaved);
    return () => setUnsaved(false);
  }, [setUnsaved, isUnsaved]);
}

/** Tells the dialog whether another one stands over it. */
export function useCover({ setCovered }: Pick<FormHandle, 'setCovered'>, isCovered: boolean): void {
  useEffect(() => {
    setCovered(isCovered);
    return () => setCovered(false);
  }, [setCovered, isCovered]);
}

/** The buttons of a form: in sight while a long form scrolls under them. */
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
