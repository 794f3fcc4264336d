import { Button, Loader, Modal, Textarea } from '@mantine/core';
import { IMAGE_TYPES } from '@pressel/contract/limits';
import { IconPhoto } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type PrepareImage, prepareInBrowser } from '#src/shared/images/prepare.ts';
import type { PreparedImage } from '#src/shared/images/shrink.ts';
import { DropArea, DropInvitation } from '#src/shared/ui/drop-area.tsx';
import { isComposing } from '#src/shared/ui/is-composing.ts';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { type ChoiceFault, type ChoiceState, type ImageChoice, openImageChoice } from './image-choice.ts';
import styles from './image-dialogs.module.css';
import type { OutboxItem } from './outbox-store.ts';
import { useTooLong } from './too-long.ts';
import { useObjectUrl } from './use-object-url.ts';

type Send = (image: NonNullable<OutboxItem['image']>, caption: string) => void;

export interface ImageDialogProps {
  /** Open while there is something here; with a file that was pasted or dropped elsewhere. */
  chosen: { file: File | undefined } | undefined;
  onClose: () => void;
  onSend: Send;
  /** Tests pass a fake. */
  prepare?: PrepareImage;
}

/** Chooses an image, shows it, and sends it with or without words. */
export function ImageDialog({ chosen, onClose, onSend, prepare = prepareInBrowser }: ImageDialogProps) {
  const { t } = useTranslation('chat');
  const { t: shared } = useTranslation('shared');
  // What is opened again while it still goes begins anew.
  const [opening, setOpening] = useState({ chosen, count: 0 });
  if (chosen !== undefined && chosen !== opening.chosen) setOpening({ chosen, count: opening.count + 1 });
  return (
    <Modal
      opened={chosen !== undefined}
      onClose={onClose}
      title={t('upload.title')}
      centered
      // A click beside it must not lose what was chosen and written.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <OpenChoice
        key={opening.count}
        file={opening.chosen?.file}
        prepare={prepare}
        onClose={onClose}
        // It is still there for a moment after it was closed: a double click would send the image twice.
        onSend={(image, caption) => {
          if (chosen !== undefined) onSend(image, caption);
        }}
      />
    </Modal>
  );
}

interface OpenChoiceProps {
  file: File | undefined;
  prepare: PrepareImage;
  onClose: () => void;
  onSend: Send;
}

function OpenChoice({ file, prepare, onClose, onSend }: OpenChoiceProps) {
  const [choice, setChoice] = useState<ImageChoice>();
  useEffect(() => {
    const opened = openImageChoice(prepare);
    if (file !== undefined) opened.take([file]);
    setChoice(opened);
    return () => opened.close();
  }, [file, prepare]);
  return choice && <ChoiceView choice={choice} onClose={onClose} onSend={onSend} />;
}

function ChoiceView({ choice, onClose, onSend }: { choice: ImageChoice; onClose: () => void; onSend: Send }) {
  const { t } = useTranslation('chat');
  const { t: shared } = useTranslation('shared');
  const state = useSnapshot(choice);
  const [caption, setCaption] = useState('');
  const tooLong = useTooLong(caption);
  const isReady = state.state === 'ready' && tooLong === undefined;
  const submit = () => {
    if (state.state === 'ready' && isReady) onSend({ ...state.image, name: state.name }, caption.trim());
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <DropArea accept={IMAGE_TYPES.join()} onFiles={choice.take}>
        {(browse) => <Chosen state={state} onBrowse={browse} />}
      </DropArea>
      {state.state === 'empty' && state.fault !== undefined && <FaultWords fault={state.fault} />}
      {state.state === 'ready' && (
        <Textarea
          label={t('upload.caption')}
          autosize
          minRows={1}
          maxRows={4}
          value={caption}
          error={tooLong}
          onChange={(event) => setCaption(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
            event.preventDefault();
            submit();
          }}
          // The button that chose the image is gone.
          autoFocus
          data-autofocus
        />
      )}
      <div className={styles.acts}>
        <Button variant="default" onClick={onClose}>
          {shared('cancel')}
        </Button>
        <Button type="submit" disabled={!isReady}>
          {t('upload.send')}
        </Button>
      </div>
    </form>
  );
}

function Chosen({ state, onBrowse }: { state: ChoiceState; onBrowse: () => void }) {
  const { t } = useTranslation('chat');
  switch (state.state) {
    case 'empty':
      return (
        <DropInvitation icon={IconPhoto} title={t('upload.drop')} limits={t('upload.limits')}>
          <Button variant="default" onClick={onBrowse} autoFocus={state.fault !== undefined} data-autofocus>
            {t('upload.browse')}
          </Button>
        </DropInvitation>
      );
    case 'preparing':
      return (
        <div className={styles.preparing} role="status">
          <Loader size="sm" color="var(--text-dim)" aria-hidden="true" />
          <span>{t('upload.preparing')}</span>
        </div>
      );
    case 'ready':
      return <Preview image={state.image} name={state.name} onBrowse={onBrowse} />;
    default:
      return state satisfies never;
  }
}

function Preview({ image, name, onBrowse }: { image: PreparedImage; name: string; onBrowse: () => void }) {
  const { t } = useTranslation('chat');
  const url = useObjectUrl(image.blob);
  return (
    <figure className={styles.preview}>
      {url !== undefined && <img src={url} alt={name} width={image.width} height={image.height} />}
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
