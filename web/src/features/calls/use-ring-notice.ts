import { useEffect } from 'react';
import { noticePermission, showSystemNotice } from '#src/shared/system-notice.ts';

/**
 * Shows a system notification while the page is hidden, if the user allowed it; also when the page becomes hidden while
 * a call rings. Null shows nothing and closes the notification.
 */
export function useRingNotice(text: string | null): void {
  useEffect(() => {
    if (text === null || noticePermission() !== 'granted') return;
    let close: (() => void) | undefined;
    const follow = () => {
      // Once is enough: a notification that its reader closed doesn't come back.
      if (document.hidden && close === undefined) {
        close = showSystemNotice({ title: text, tag: 'pressel-call', stays: true });
      }
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close?.();
    };
  }, [text]);
}
