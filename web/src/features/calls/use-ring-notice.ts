import { useEffect } from 'react';

const isSupported = (): boolean => 'Notification' in window;

/** Whether it makes sense to ask: the browser can, and nobody has decided yet. */
export const canAskForNotices = (): boolean => isSupported() && Notification.permission === 'default';

export const askForNotices = async (): Promise<void> => {
  // Rejects nowhere; old Safari calls back instead, which nobody needs here.
  await Notification.requestPermission();
};

/** Says so by the system while the page is out of sight, if that was allowed; null: nothing, or no more. */
export function useRingNotice(text: string | null): void {
  useEffect(() => {
    if (text === null || !isSupported() || Notification.permission !== 'granted' || !document.hidden) return;
    const notice = noticeOf(text);
    return () => notice?.close();
  }, [text]);
}

function noticeOf(text: string): Notification | null {
  try {
    const notice = new Notification(text, { tag: 'pressel-call', requireInteraction: true });
    notice.onclick = () => window.focus();
    return notice;
  } catch {
    // Chrome on Android knows them, and lets only service workers show them.
    return null;
  }
}
