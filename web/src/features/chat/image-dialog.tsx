import { Button, Loader, Modal, Textarea } from '@mantine/core';
import { IMAGE_TYPES } from '@pressel/contract/limits';
import { IconPhoto } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { DropArea, DropInvitation } from '#src/shared/ui/drop-area.tsx';
import { isComposing } from '#src/shared/ui/is-composing.ts';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useTooLong } from './composer.tsx';
import styles from './image-dialogs.module.css';
import type { ChoiceFault, ChosenImage, DraftSnapshot, ImageDraft } from './image-drafts.ts';
import type { OutboxItem } from './outbox-store.ts';
import { useObjectUrl } from './unsent-messages.tsx';

export interface ImageDialogProps {
  isOpen: boolean;
  draft: ImageDraft;
  /** False until the outbox is loaded. */
  canSend: boolean;
  /** The chosen image and its caption stay for the next time [CHATS46]. */
  onClose: () => void;
  onSend: (image: NonNullable<OutboxItem['image']>, caption: string) => void;
}

/** Lets the user choose an image, shows it, and sends it with or without words. */
export function ImageDialog({ isOpen, draft, canSend, onClose, onSend }: ImageDialogProps) {
  const { t } = useTranslation('chat');
  const { t: shared } = useTranslation('shared');
  const now = useSnapshot(draft);
  // The closing dialog keeps its content: by then its draft may be sent or removed.
  const [shown, setShown] = useState(now);
  if (isOpen && shown !== now) setShown(now);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('upload.title')}
      centered
      // A stray click beside the dialog must not close it.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <ChoiceForm
        {...shown}
        draft={draft}
        canSend={canSend}
        onClose={onClose}
        // The closed dialog stays for a moment: a double click would send the image twice.
        onSend={(image, caption) => {
          if (isOpen) onSend(image, caption);
        }}
      />
    </Modal>
  );
}

function ChoiceForm(props: DraftSnapshot & Omit<ImageDialogProps, 'isOpen'>) {
  const { preparing, image, fault, caption, draft, canSend, onClose, onSend } = props;
  const { t } = useTranslation('chat');
  const { t: shared } = useTranslation('shared');
  const tooLong = useTooLong(caption);
  const isShown = image !== undefined && preparing === undefined;
  const isReady = isShown && canSend && tooLong === undefined;
  const submit = () => {
    if (!isReady) return;
    const { blob, name, width, height } = image;
    onSend({ blob, name, width, height }, caption.trim());
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <DropArea accept={IMAGE_TYPES.join()} onFiles={draft.take}>
        {(browse) => <Chosen {...{ preparing, image, fault }} onBrowse={browse} />}
      </DropArea>
      {fault !== undefined && <FaultWords fault={fault} />}
      {isShown && (
        <Textarea
          label={t('upload.caption')}
          autosize
          minRows={1}
          maxRows={4}
          value={caption}
          error={tooLong}
          onChange={(event) => draft.write(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
            event.preventDefault();
            submit();
          }}
          // Takes the focus, because the button that chose the image is gone.
          autoFocus
          data-autofocus
        />
      )}
      <div className={styles.acts}>
        {isShown ? (
          <Button
            variant="default"
            onClick={() => {
              draft.clear();
              onClose();
            }}
          >
            {t('upload.remove')}
          </Button>
        ) : (
          <Button variant="default" onClick={onClose}>
            {shared('cancel')}
          </Button>
        )}
        <Button type="submit" disabled={!isReady}>
          {t('upload.send')}
        </Button>
      </div>
    </form>
  );
}

interface ChosenProps extends Pick<DraftSnapshot, 'preparing' | 'image' | 'fault'> {
  onBrowse: () => void;
}

function Chosen({ preparing, image, fault, onBrowse }: ChosenProps) {
  const { t } = useTranslation('chat');
  if (preparing !== undefined) {
    return (
      <div className={styles.preparing} role="status">
        <Loader size="sm" color="var(--text-dim)" aria-hidden="true" />
        <span>{t('upload.preparing')}</span>
      </div>
    );
  }
  if (image !== undefined) return <Preview image={image} onBrowse={onBrowse} />;
  return (
    <DropInvitation icon={IconPhoto} title={t('upload.drop')} limits={t('upload.limits')}>
      <Button variant="default" onClick={onBrowse} autoFocus={fault !== undefined} data-autofocus>
        {t('upload.browse')}
      </Button>
    </DropInvitation>
  );
}

function Preview({ image, onBrowse }: { image: ChosenImage; onBrowse: () => void }) {
  const { t } = useTranslation('chat');
  const { blob, name, width, height } = image;
  const url = useObjectUrl(blob);
  return (
    <figure className={styles.preview}>
      {url !== undefined && <img src={url} alt={name} width={width} height={height} />}
      <figcaption className={styles.dim}>
        <bdi>{name}</bdi>
      </figcaption>
      <Button variant="subtle" onClick={onBrowse}>
        {t('upload.other')}
      </Button>
    </figure>
  );
}

function FaultWords({ fault }: { fault: ChoiceFault }) {
  const { t } = useTranslation('chat');
  const isInvalid = fault === 'type' || fault === 'unreadable';
  return (
    <InlineError>
      <strong>{t(`upload.fault.${fault}`)}</strong> {isInvalid && <span>{t('upload.valid')}</span>}
    </InlineError>
  );
}
