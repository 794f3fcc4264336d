import { useEffect } from 'react';

const isSupported = (): boolean => 'Notification' in window;

/** Whether it makes sense to ask: the browser can, and nobody has decided yet. */
export const canAskForNotices = (): boolean => isSupported() && Notification.permission === 'default';

export const askForNotices = async (): Promise<void> => {
  // Rejects nowhere; old Safari calls back instead, which nobody needs here.
  await Notification.requestPermission();
};

const TAG = 'pressel-call';

/**
 * Shows a system notification while the page is out of sight, if that was allowed: also when the page goes out of sight while it
 * rings. Null: nothing, or no more.
 */
export function useRingNotice(text: string | null): void {
  useEffect(() => {
    if (text === null || !isSupported() || Notification.permission !== 'granted') return;
    let close: (() => void) | undefined;
    const follow = () => {
      // Once is enough: one that was closed by its reader doesn't come back.
      if (document.hidden && close === undefined) close = show(text);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close?.();
    };
  }, [text]);
}

/** Returns what takes it away. */
function show(text: string): () => void {
  try {
    const notice = new Notification(text, { tag: TAG, requireInteraction: true });
    notice.onclick = () => window.focus();
    return () => notice.close();
  } catch {
    // Chrome on Android knows them, and lets only service workers show them.
    return showByWorker(text);
  }
}

/** The worker brings the page back when it is touched (web/worker). */
function showByWorker(text: string): () => void {
  let isOver = false;
  const shown = navigator.serviceWorker?.ready
    .then(async (worker) => {
      if (!isOver) await worker.showNotification(text, { tag: TAG, requireInteraction: true });
      return worker;
    })
    // Forbidden meanwhile: the title and the sound say it.
    .catch(() => undefined);
  return () => {
    isOver = true;
    shown?.then(async (worker) => {
      for (const notice of (await worker?.getNotifications({ tag: TAG })) ?? []) notice.close();
    });
  };
}
