import { ActionIcon } from '@mantine/core';
import type { UserId } from '@pressel/contract/ids';
import { IconX } from '@tabler/icons-react';
import type { Person } from './map/position-index.ts';
import styles from './positions.module.css';
import { usePositionsWords } from './positions-words.ts';

export interface CrowdListProps {
  members: readonly Person[];
  onChoose: (userId: UserId) => void;
  onClose: () => void;
}

/** Lists people at one place, whom no zoom takes apart. */
export function CrowdList({ members, onChoose, onClose }: CrowdListProps) {
  const t = usePositionsWords();
  return (
    <section
      className={styles.card}
      aria-label={t('crowd.label')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <header className={styles.cardHead}>
        <h2 className={styles.cardName}>{t('crowd.label')}</h2>
        <ActionIcon variant="subtle" size="lg" aria-label={t('crowd.close')} onClick={onClose}>
          <IconX size={18} aria-hidden="true" />
        </ActionIcon>
      </header>
      <ul className={styles.crowd}>
        {members.map(({ userId, name }) => (
          <li key={userId}>
            <button type="button" className={styles.crowdMember} onClick={() => onChoose(userId)}>
              <bdi>{name}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
