const isSupported = (): boolean => 'Notification' in window;

/** Whether the browser shows notifications, may be asked to, or was forbidden to; `none`: it can't, for example on plain http. */
export const noticePermission = (): NotificationPermission | 'none' =>
  isSupported() ? Notification.permission : 'none';

/** Whether asking makes sense: the browser can show notices, and the user has not decided yet. */
export const canAskForNotices = (): boolean => noticePermission() === 'default';

/** Asks the user; call it within a user gesture. Resolves to the decision; closing the question decides nothing. */
export async function askForNotices(): Promise<NotificationPermission | 'none'> {
  // Old Safari takes a callback instead, which isn't needed here.
  await Notification.requestPermission().catch(() => undefined);
  return noticePermission();
}

export interface SystemNotice {
  title: string;
  body?: string;
  /** A notice replaces an earlier one of the same tag. */
  tag: string;
  /** Whether it stays until the user does something. */
  stays?: boolean;
}

/** Shows a system notification, if allowed; touching it brings the page back. Returns the function that removes it. */
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
    // Chrome on Android has notifications, but lets only service workers show them.
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
    // Forbidden meanwhile: title and sound alert the user instead.
    .catch(() => undefined);
  return () => {
    isOver = true;
    shown?.then(async (worker) => {
      for (const notice of (await worker?.getNotifications({ tag: options.tag })) ?? []) notice.close();
    });
  };
}
