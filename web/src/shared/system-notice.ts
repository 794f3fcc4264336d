const isSupported = (): boolean => 'Notification' in window;

/** Whether the browser shows notifications, may be asked to, or was forbidden to; `none`: it can't, as on plain http. */
export const noticePermission = (): NotificationPermission | 'none' =>
  isSupported() ? Notification.permission : 'none';

/** Whether it makes sense to ask: the browser can, and nobody has decided yet. */
export const canAskForNotices = (): boolean => noticePermission() === 'default';

/** Call it within a user gesture. Resolves to what was decided; one who closes the question decides nothing. */
export async function askForNotices(): Promise<NotificationPermission | 'none'> {
  // Old Safari calls back instead, which nobody needs here.
  await Notification.requestPermission().catch(() => undefined);
  return noticePermission();
}

export interface SystemNotice {
  title: string;
  body?: string;
  /** A notice takes the place of an earlier one of the same tag. */
  tag: string;
  /** Whether it stays until somebody does something. */
  stays?: boolean;
}

/** Shows a notification of the system, if that was allowed; touching it brings the page back. Returns what takes it away. */
export function showSystemNotice({ title, stays = false, ...options }: SystemNotice): () => void {
  if (noticePermission() !== 'granted') return () => undefined;
  const shown = { ...options, requireInteraction: stays };
  try {
    const notice = new Notification(title, shown);
    notice.onclick = () => {
      window.focus();
      notice.close();
    };
    return () => notice.close();
  } catch {
    // Chrome on Android knows them, and lets only service workers show them.
    return showByWorker(title, shown);
  }
}

/** The worker brings the page back when it is touched (web/worker). */
function showByWorker(title: string, options: NotificationOptions & { tag: string }): () => void {
  let isOver = false;
  const shown = navigator.serviceWorker?.ready
    .then(async (worker) => {
      if (!isOver) await worker.showNotification(title, options);
      return worker;
    })
    // Forbidden meanwhile: the title and the sound say it.
    .catch(() => undefined);
  return () => {
    isOver = true;
    shown?.then(async (worker) => {
      for (const notice of (await worker?.getNotifications({ tag: options.tag })) ?? []) notice.close();
    });
  };
}
