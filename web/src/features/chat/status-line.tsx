import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useLink } from '#src/shared/realtime/use-link.ts';
import { useAnnouncement } from '#src/shared/ui/announcer.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import styles from './messages-panel.module.css';
import type { Typing } from './typing.ts';
import { useOutboxSnapshot } from './use-outbox-entries.ts';

const NOBODY: readonly string[] = [];
const NO_TYPING = { getSnapshot: () => NOBODY, subscribe: () => () => undefined };

/** One line above the field, always there so that nothing moves: says who types, or why nothing is sent. */
export function StatusLine({ typing }: { typing: Typing | undefined }) {
  const { t } = useTranslation('chat');
  const names = useSnapshot<readonly string[]>(typing ?? NO_TYPING);
  const { isLasting, entries } = useOutboxSnapshot();
  const isDown = useLink() === 'down';
  const isRefused = isLasting && entries.some(({ lack }) => lack === 'refused');
  const isForgetful = !isLasting && (isDown || entries.length > 0);
  const risk = isRefused ? t('composer.refused') : isForgetful ? t('composer.memory') : undefined;
  useAnnouncement(risk);
  return (
    // Not a live region: the room already announces a lost link, and typing names would be announced all the time.
    <p className={styles.status} data-warning={isDown || risk !== undefined || undefined}>
      {risk ?? (isDown ? t('composer.offline') : <TypingWords names={names} />)}
    </p>
  );
}

function TypingWords({ names }: { names: readonly string[] }) {
  const { t } = useTranslation('chat');
  const [name = '', other = ''] = names;
  if (names.length === 0) return null;
  if (names.length === 1) return t('typing.one', { name });
  if (names.length === 2) return t('typing.two', { name, other });
  return t('typing.more', { count: names.length });
}
