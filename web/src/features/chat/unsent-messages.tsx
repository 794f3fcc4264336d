import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useChat } from './chat-context.tsx';
import { isShutOut } from './is-shut-out.ts';
import type { OutboxEntry } from './outbox.ts';
import styles from './unsent-messages.module.css';
import { useObjectUrl } from './use-object-url.ts';
import { useOutboxSnapshot } from './use-outbox-entries.ts';

/** What could not be sent because its channel is closed to the user: told outside of it, and kept until it is dropped. */
export function UnsentMessages() {
  const { t } = useTranslation('channels');
  const { entries } = useOutboxSnapshot();
  const shutOut = entries.filter(({ failure }) => isShutOut(failure));
  if (shutOut.length === 0) return null;
  return (
    <section className={styles.unsent} aria-label={t('unsent.title', { count: shutOut.length })}>
      <IconAlertTriangle className={styles.icon} size={20} aria-hidden="true" />
      <div className={styles.body}>
        <p className={styles.title} role="status">
          {t('unsent.title', { count: shutOut.length })}
        </p>
        <p className={styles.text}>{t('unsent.text')}</p>
        <ul className={styles.list}>
          {shutOut.map((entry) => (
            <li key={entry.clientId} className={styles.entry}>
              <Unsent entry={entry} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function Unsent({ entry }: { entry: OutboxEntry }) {
  const { t } = useTranslation('channels');
  const outbox = useSnapshot(useChat());
  const url = useObjectUrl(entry.image?.blob);
  const [isCopied, setCopied] = useState(false);
  const { text, image } = entry;
  // On plain http there is no clipboard: the text can be selected all the same.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  return (
    <>
      <div className={styles.words}>
        {image !== null && <p>{t('unsent.image', { name: image.name })}</p>}
        {text !== '' && (
          <p className={styles.message} dir="auto">
            {text}
          </p>
        )}
      </div>
      <div className={styles.acts}>
        {text !== '' && clipboard !== undefined && (
          <Button
            variant="default"
            size="compact-sm"
            className={styles.act}
            onClick={() => void clipboard.writeText(text).then(() => setCopied(true))}
          >
            {t(isCopied ? 'unsent.copied' : 'unsent.copy')}
          </Button>
        )}
        {image !== null && url !== undefined && (
          <Button
            component="a"
            href={url}
            download={image.name}
            variant="default"
            size="compact-sm"
            className={styles.act}
          >
            {t('unsent.save')}
          </Button>
        )}
        <Button
          variant="subtle"
          size="compact-sm"
          className={styles.act}
          onClick={() => outbox?.discard(entry.clientId)}
        >
          {t('unsent.discard')}
        </Button>
      </div>
    </>
  );
}
