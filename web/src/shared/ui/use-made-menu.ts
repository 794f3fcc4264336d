import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';

/**
 * The menu of a button, made on first use. Making a menu takes longer than the rest of a row, and loading its code
 * takes more than a list. If it can't be loaded, it says so, and the next use tries again.
 */
export function useMadeMenu<Made>(load: () => Promise<Made>, kind: 'menu' | 'dialog' | 'listbox' = 'menu') {
  const { t } = useTranslation('app');
  const buttonRef = useRef<HTMLButtonElement>(null);
  const [made, setMade] = useState<{ parts: Made }>();
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    load().then(
      (parts) => {
        // The menu brings its own button, which must have the focus before it opens, so that the focus returns there at
        // the end.
        flushSync(() => setMade({ parts }));
        buttonRef.current?.focus();
        setOpen(true);
      },
      () => notifications.show({ message: t('notLoaded') }),
    );
  };
  return {
    buttonRef,
    /** The menu's parts; undefined before the first use. */
    made: made?.parts,
    isOpen,
    setOpen,
    /** For a button that opens and closes its own content; a menu does that for its button. */
    toggle: made === undefined ? open : () => setOpen(!isOpen),
    /** For the button, until the menu is made. */
    opens: made === undefined ? ({ 'aria-haspopup': kind, 'aria-expanded': false, onClick: open } as const) : {},
  };
}

/**
 * Returns true a moment after mounting, if `isOpen`. A dialog that is mounted open shows no transition and doesn't know
 * where the focus came from.
 */
export function useAfterMount(isOpen: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return isMounted && isOpen;
}
