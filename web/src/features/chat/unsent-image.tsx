import { ActionIcon } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { IconPhoto, IconX } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { prepareInBrowser } from '#src/shared/images/prepare.ts';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { OpenImageDrafts } from './chat.ts';
import { useChat } from './chat-context.tsx';
import { type ImageDraft, openImageDrafts } from './image-drafts.ts';
import styles from './messages-panel.module.css';
import { useObjectUrl } from './use-object-url.ts';

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
    <div className={styles.unsent} data-unsent-image="">
      <button type="button" className={styles.unsentOpen} onClick={onOpen}>
        {url === undefined ? <IconPhoto size={20} aria-hidden="true" /> : <img src={url} alt="" />}
        <span className={styles.unsentWords}>
          <span className={styles.unsentTitle}>{t('upload.unsent')}</span>
          <bdi className={styles.unsentName}>{caption.trim() || name}</bdi>
        </span>
      </button>
      <ActionIcon
        variant="subtle"
        className={styles.tool}
        aria-label={t('upload.remove')}
        title={t('upload.remove')}
        onClick={draft.clear}
      >
        <IconX size={16} aria-hidden="true" />
      </ActionIcon>
    </div>
  );
}
