import { Button, Modal } from '@mantine/core';
import { useAfterMount } from '#src/shared/ui/use-made-menu.ts';
import styles from './positions.module.css';
import { usePositionsWords } from './positions-words.ts';

export interface UnknownLocationDialogProps {
  /** The name of the person whose position is not known; null: closed. */
  name: string | null;
  onClose: () => void;
}

/** Says that somebody's position is not known (spec §8). */
export function UnknownLocationDialog({ name, onClose }: UnknownLocationDialogProps) {
  const t = usePositionsWords();
  return (
    <Modal
      opened={useAfterMount(name !== null)}
      onClose={onClose}
      title={t('unknown.title')}
      withCloseButton={false}
      centered
      size="sm"
    >
      <p>{t('unknown.text', { name: name ?? '' })}</p>
      <div className={styles.dialogActs}>
        <Button onClick={onClose} data-autofocus>
          {t('unknown.close')}
        </Button>
      </div>
    </Modal>
  );
}
