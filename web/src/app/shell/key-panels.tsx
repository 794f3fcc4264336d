import { notifications } from '@mantine/notifications';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useStorage } from '#src/shared/services.tsx';
import { PartOver } from '#src/shared/ui/part.tsx';
import { useCurrentRoom } from './current-room.tsx';
import { areLettersOn, followShortcuts, type Shortcuts } from './shortcuts.ts';

const loadPalette = () => import('./palette.tsx');
const loadSheet = () => import('./shortcuts-sheet.tsx');

/** What keys open over the page, loaded with its first use. The palette is opened by a button, too. */
export function KeyPanels({ isPalette, onPalette }: { isPalette: boolean; onPalette: (isOpen: boolean) => void }) {
  const { t } = useTranslation('app');
  const storage = useStorage();
  const stays = useStays();
  const room = useCurrentRoom();
  const stopTalking = room?.stopTalking;
  const [isSheet, setSheet] = useState(false);
  const shortcuts = useRef<Shortcuts>(undefined);
  const takeTyped = () => shortcuts.current?.takeTyped() ?? '';
  const closePalette = () => {
    // Its field may not have had the focus: what is typed from now on is the page's.
    takeTyped();
    onPalette(false);
  };
  const onGone = () => {
    closePalette();
    setSheet(false);
    notifications.show({ message: t('notLoaded') });
  };
  const Palette = useLoaded(loadPalette, isPalette, onGone)?.Palette;
  const ShortcutsSheet = useLoaded(loadSheet, isSheet, onGone)?.ShortcutsSheet;

  useEffect(() => {
    const followed = followShortcuts({
      page: document,
      areLettersOn: () => areLettersOn(storage),
      talkKey: () => stays.getSnapshot()?.talkKey(),
      onPanel(panel) {
        // A dialog ends a talk [TALK66].
        stopTalking?.();
        if (panel === 'palette') onPalette(true);
        else setSheet(true);
      },
    });
    shortcuts.current = followed;
    return followed.close;
  }, [storage, stays, stopTalking, onPalette]);

  return (
    <>
      {Palette && (
        <PartOver isOpen={isPalette} onClose={closePalette}>
          <Palette isOpen={isPalette} onClose={closePalette} takeTyped={takeTyped} />
        </PartOver>
      )}
      {ShortcutsSheet && (
        <PartOver isOpen={isSheet} onClose={() => setSheet(false)}>
          <ShortcutsSheet isOpen={isSheet} onClose={() => setSheet(false)} />
        </PartOver>
      )}
    </>
  );
}

/**
 * A module that is loaded when it is first wanted. Without a link, or after an upgrade, it can't be: then `onGone` is
 * told, and the next wish tries again. Nothing is thrown: the room and its talk button are on the same page.
 */
function useLoaded<Module>(load: () => Promise<Module>, isWanted: boolean, onGone: () => void): Module | undefined {
  const [loaded, setLoaded] = useState<Module>();
  const tellGone = useEffectEvent(onGone);
  const isMissing = isWanted && loaded === undefined;
  useEffect(() => {
    if (!isMissing) return;
    let isCurrent = true;
    load().then(
      (module) => isCurrent && setLoaded(module),
      () => isCurrent && tellGone(),
    );
    return () => {
      isCurrent = false;
    };
  }, [isMissing, load]);
  return loaded;
}
