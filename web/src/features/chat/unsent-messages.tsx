import { ActionIcon, Button } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { isVisible } from '@pressel/contract/text';
import { IconAlertTriangle, IconPhoto, IconX } from '@tabler/icons-react';
import { Children, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { ApiErrorCode } from '#src/shared/api/api-error.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { prepareInBrowser } from '#src/shared/images/prepare.ts';
import { useStorage } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { OpenImageDrafts } from './chat.ts';
import { useChat, useOutboxSnapshot } from './chat-context.tsx';
import { type ImageDraft, openImageDrafts } from './image-drafts.ts';
import messagesPanelStyles from './messages-panel.module.css';
import type { OutboxEntry } from './outbox.ts';
import styles from './unsent-messages.module.css';

/** Whether a message failed because its channel is closed to the user, who can't see the message there. */
const isShutOut = (failure: ApiErrorCode | null): boolean => failure === 'not_a_member' || failure === 'not_found';

/**
 * Messages that could not be sent because their channel is closed to the user: shown outside the channel, and kept
 * until they are dropped.
 * `channelId`: limits the list to this channel, with the unsent text of its field.
 */
export function UnsentMessages({ channelId }: { channelId?: ChannelId | undefined }) {
  return channelId === undefined ? <UnsentOf /> : <UnsentOfChannel channelId={channelId} />;
}

function UnsentOfChannel({ channelId }: { channelId: ChannelId }) {
  const storage = useStorage();
  const [text, setText] = useState(() => storage.readDraft(channelId));
  const imageDraft = useImageDraft(channelId);
  const { image = null, caption } = useSnapshot(imageDraft);
  const forgetText = () => {
    storage.keepDraft(channelId, '');
    setText('');
  };
  return (
    <UnsentOf channelId={channelId}>
      {isVisible(text) && <Unsent text={text} image={null} onDiscard={forgetText} />}
      {image !== null && <Unsent text={caption} image={image} onDiscard={imageDraft.clear} />}
    </UnsentOf>
  );
}

/** `children`: unsent text. */
function UnsentOf({ channelId, children }: { channelId?: ChannelId; children?: ReactNode }) {
  const { t } = useTranslation('channels');
  const outbox = useSnapshot(useChat());
  const { entries } = useOutboxSnapshot();
  const shutOut = entries.filter((one) => isShutOut(one.failure) && (channelId ?? one.channelId) === one.channelId);
  const drafts = Children.toArray(children);
  const count = shutOut.length + drafts.length;
  if (count === 0) return null;
  return (
    <section className={styles.unsent} aria-label={t('unsent.title', { count })}>
      <IconAlertTriangle className={styles.icon} size={20} aria-hidden="true" />
      <div className={styles.body}>
        <p className={styles.title} role="status">
          {t('unsent.title', { count })}
        </p>
        <p className={styles.text}>{t('unsent.text')}</p>
        <ul className={styles.list}>
          {shutOut.map(({ clientId, channelName, text, image }) => (
            <li key={clientId} className={styles.entry}>
              <Unsent
                // In a list of several channels, each message names its channel.
                channelName={channelId === undefined ? channelName : ''}
                text={text}
                image={image}
                onDiscard={() => outbox?.discard(clientId)}
              />
            </li>
          ))}
          {Children.map(drafts, (draft) => (
            <li className={styles.entry}>{draft}</li>
          ))}
        </ul>
      </div>
    </section>
  );
}

interface UnsentProps extends Pick<OutboxEntry, 'text' | 'image'> {
  channelName?: string;
  onDiscard: () => void;
}

function Unsent({ channelName = '', text, image, onDiscard }: UnsentProps) {
  const { t } = useTranslation('channels');
  const url = useObjectUrl(image?.blob);
  const [isCopied, setCopied] = useState(false);
  // There is no clipboard on plain http; the user can still select the text.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  return (
    <>
      <div className={styles.words}>
        {channelName !== '' && <p className={styles.text}>{t('unsent.channel', { name: channelName })}</p>}
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
        <Button variant="subtle" size="compact-sm" className={styles.act} onClick={onDiscard}>
          {t('unsent.discard')}
        </Button>
      </div>
    </>
  );
}

const openInBrowser: OpenImageDrafts = (page) => openImageDrafts({ ...page, prepare: prepareInBrowser });

/** The draft of an image for a channel, as long as the user is signed in. */
export function useImageDraft(channelId: ChannelId): ImageDraft {
  const chat = useChat();
  return useMemo(() => chat.imageDrafts(openInBrowser).of(channelId), [chat, channelId]);
}

/** Shown above the field when an image was chosen and not sent; leads back to it [CHATS46]. */
export function UnsentImage({ draft, onOpen }: { draft: ImageDraft; onOpen: () => void }) {
  const { t } = useTranslation('chat');
  const { preparing, image, caption } = useSnapshot(draft);
  const url = useObjectUrl(image?.blob);
  const name = preparing ?? image?.name;
  if (name === undefined) return null;
  return (
    <div className={messagesPanelStyles.unsent} data-unsent-image="">
      <button type="button" className={messagesPanelStyles.unsentOpen} onClick={onOpen}>
        {url === undefined ? <IconPhoto size={20} aria-hidden="true" /> : <img src={url} alt="" />}
        <span className={messagesPanelStyles.unsentWords}>
          <span className={messagesPanelStyles.unsentTitle}>{t('upload.unsent')}</span>
          <bdi className={messagesPanelStyles.unsentName}>{caption.trim() || name}</bdi>
        </span>
      </button>
      <ActionIcon
        variant="subtle"
        className={messagesPanelStyles.tool}
        aria-label={t('upload.remove')}
        title={t('upload.remove')}
        onClick={draft.clear}
      >
        <IconX size={16} aria-hidden="true" />
      </ActionIcon>
    </div>
  );
}

/** An object URL of a blob for as long as it is shown; undefined at first. */
export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [shown, setShown] = useState<{ blob: Blob; url: string }>();
  useEffect(() => {
    if (blob === undefined) return;
    const url = URL.createObjectURL(blob);
    setShown({ blob, url });
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  return shown?.blob === blob ? shown?.url : undefined;
}
