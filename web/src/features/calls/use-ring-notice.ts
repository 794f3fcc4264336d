import { useEffect } from 'react';
import { noticePermission, showSystemNotice } from '#src/shared/system-notice.ts';

/**
 * Shows a system notification while the page is out of sight, if that was allowed: also when the page goes out of sight while it
 * rings. Null: nothing, or no more.
 */
export function useRingNotice(text: string | null): void {
  useEffect(() => {
    if (text === null || noticePermission() !== 'granted') return;
    let close: (() => void) | undefined;
    const follow = () => {
      // Once is enough: one that was closed by its reader doesn't come back.
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
