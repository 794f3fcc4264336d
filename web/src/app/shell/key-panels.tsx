import { notifications } from '@mantine/notifications';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useCurrentRoom } from '#src/features/room/current-room.tsx';
import { useEnteredRooms } from '#src/features/room/entered-rooms-context.tsx';
import { useI18n, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useStorage } from '#src/shared/services.tsx';
import { LazyOverlay } from '#src/shared/ui/lazy-section.tsx';
import { areLettersOn, followShortcuts, type KeyPanel, type Shortcuts } from './shortcuts.ts';

const loadPalette = () => import('./palette.tsx');
const loadSheet = () => import('./shortcuts-sheet.tsx');

export interface KeyPanelsProps {
  /** The panel that is open or was opened last. */
  panel: KeyPanel | undefined;
  onPanel: (panel: KeyPanel | undefined) => void;
}

/** The panels that keys open over the page, loaded with their first use. Buttons open them, too. */
export function KeyPanels({ panel, onPanel }: KeyPanelsProps) {
  const { t } = useTranslation('app');
  const storage = useStorage();
  const enteredRooms = useEnteredRooms();
  const room = useCurrentRoom();
  const stopTalking = room?.stopTalking;
  const isPalette = panel === 'palette';
  const isSheet = panel === 'shortcuts';
  const shortcuts = useRef<Shortcuts>(undefined);
  const takeTyped = () => shortcuts.current?.takeTyped() ?? '';
  const close = () => {
    // The palette's field may never have had the focus. Text typed from now on belongs to the page.
    takeTyped();
    onPanel(undefined);
  };
  const onGone = () => {
    close();
    notifications.show({ message: t('notLoaded') });
  };
  const Palette = useLoaded(loadPalette, isPalette, onGone)?.Palette;
  const ShortcutsSheet = useLoaded(loadSheet, isSheet, onGone)?.ShortcutsSheet;

  useEffect(() => {
    const followed = followShortcuts({
      page: document,
      areLettersOn: () => areLettersOn(storage),
      talkKey: () => enteredRooms.getSnapshot()?.room.pageTalk.key(),
      onPanel(wanted) {
        // A dialog ends a talk [TALK66].
        stopTalking?.();
        onPanel(wanted);
      },
    });
    shortcuts.current = followed;
    return followed.close;
  }, [storage, enteredRooms, stopTalking, onPanel]);

  return (
    <>
      {Palette && (
        <LazyOverlay isOpen={isPalette} onClose={close}>
          <Palette isOpen={isPalette} onClose={close} takeTyped={takeTyped} onKeys={() => onPanel('shortcuts')} />
        </LazyOverlay>
      )}
      {ShortcutsSheet && (
        <LazyOverlay isOpen={isSheet} onClose={close}>
          <ShortcutsSheet isOpen={isSheet} onClose={close} />
        </LazyOverlay>
      )}
    </>
  );
}

/**
 * Loads a module with its words when it is first wanted. If that fails, for want of a link or after an upgrade, it
 * calls `onGone`, and the next wish tries again. It doesn't throw, because the room and its talk button are on the same
 * page.
 */
function useLoaded<Module>(load: () => Promise<Module>, isWanted: boolean, onGone: () => void): Module | undefined {
  const i18n = useI18n();
  const [loaded, setLoaded] = useState<Module>();
  const tellGone = useEffectEvent(onGone);
  const isMissing = isWanted && loaded === undefined;
  useEffect(() => {
    if (!isMissing) return;
    let isCurrent = true;
    Promise.all([load(), i18n.loadNamespaces(['keyPanels'])]).then(
      ([module]) => isCurrent && setLoaded(module),
      () => isCurrent && tellGone(),
    );
    return () => {
      isCurrent = false;
    };
  }, [isMissing, load, i18n]);
  return loaded;
}
