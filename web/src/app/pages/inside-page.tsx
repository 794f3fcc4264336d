import { Notice } from '#src/shared/ui/notice.tsx';
import { useAnnouncedTitle } from '#src/shared/ui/use-announced-title.ts';
import styles from './plain-page.module.css';
import type { PlainPageProps } from './plain-page.tsx';

/** A page inside the console with one message and its buttons: menu, room and talk button stay. */
export function InsidePage({ title, ...notice }: PlainPageProps) {
  useAnnouncedTitle(title);
  return (
    <main className={styles.main}>
      <Notice title={title} level={1} {...notice} />
    </main>
  );
}
