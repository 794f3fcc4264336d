import { notifications } from '@mantine/notifications';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { useI18n, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useStorage } from '#src/shared/services.tsx';
import { PartOver } from '#src/shared/ui/part.tsx';
import { useCurrentRoom } from './current-room.tsx';
import { areLettersOn, followShortcuts, type KeyPanel, type Shortcuts } from './shortcuts.ts';

const loadPalette = () => import('./palette.tsx');
const loadSheet = () => import('./shortcuts-sheet.tsx');

export interface KeyPanelsProps {
  /** What is open, or was last asked for. */
  panel: KeyPanel | undefined;
  onPanel: (panel: KeyPanel | undefined) => void;
}

/** What keys open over the page, loaded with its first use. Buttons open it, too. */
export function KeyPanels({ panel, onPanel }: KeyPanelsProps) {
  const { t } = useTranslation('app');
  const storage = useStorage();
  const stays = useStays();
  const room = useCurrentRoom();
  const stopTalking = room?.stopTalking;
  const isPalette = panel === 'palette';
  const isSheet = panel === 'shortcuts';
  const shortcuts = useRef<Shortcuts>(undefined);
  const takeTyped = () => shortcuts.current?.takeTyped() ?? '';
  const close = () => {
    // The palette's field may not have had the focus: what is typed from now on is the page's.
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
      talkKey: () => stays.getSnapshot()?.room.pageTalk.key(),
      onPanel(wanted) {
        // A dialog ends a talk [TALK66].
        stopTalking?.();
        onPanel(wanted);
      },
    });
    shortcuts.current = followed;
    return followed.close;
  }, [storage, stays, stopTalking, onPanel]);

  return (
    <>
      {Palette && (
        <PartOver isOpen={isPalette} onClose={close}>
          <Palette isOpen={isPalette} onClose={close} takeTyped={takeTyped} onKeys={() => onPanel('shortcuts')} />
        </PartOver>
      )}
      {ShortcutsSheet && (
        <PartOver isOpen={isSheet} onClose={close}>
          <ShortcutsSheet isOpen={isSheet} onClose={close} />
        </PartOver>
      )}
    </>
  );
}

/**
 * A module that is loaded with its words when it is first wanted. Without a link, or after an upgrade, it can't be: then `onGone` is
 * told, and the next wish tries again. Nothing is thrown: the room and its talk button are on the same page.
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
