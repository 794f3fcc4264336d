import { notifications } from '@mantine/notifications';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from '../i18n/use-translation.tsx';

/**
 * The menu of a button, made with its first use: a menu takes longer to make than all the rest of a row, and what it is
 * made of is more to load than a list. Where it can't be loaded it says so, and the next use tries again.
 */
export function useMadeMenu<Made>(load: () => Promise<Made>, kind: 'menu' | 'dialog' | 'listbox' = 'menu') {
  const { t } = useTranslation('app');
  const buttonRef = useRef<HTMLButtonElement>(null);
  const [made, setMade] = useState<{ parts: Made }>();
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    load().then(
      (parts) => {
        // The menu brings a button of its own, which must have the focus before it opens: it gets it back at the end.
        flushSync(() => setMade({ parts }));
        buttonRef.current?.focus();
        setOpen(true);
      },
      () => notifications.show({ message: t('notLoaded') }),
    );
  };
  return {
    buttonRef,
    /** What the menu is made of; undefined before the first use. */
    made: made?.parts,
    isOpen,
    setOpen,
    /** For a button that opens and closes what it has by itself; that of a menu is told by the menu. */
    toggle: made === undefined ? open : () => setOpen(!isOpen),
    /** For the button, as long as there is no menu. */
    opens: made === undefined ? ({ 'aria-haspopup': kind, 'aria-expanded': false, onClick: open } as const) : {},
  };
}
