import { type ActivityFilter, getAllActivities } from '@pressel/contract/activities';
import { IconGitCompare } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi, useUser } from '#src/shared/services.tsx';
import styles from './conflict-frame.module.css';

export interface ConflictFrameProps {
  title: string;
  /** Explanation and choices. */
  text: string;
  /** Both versions side by side. */
  children: ReactNode;
  acts: ReactNode;
  /** Announces it to screen readers; false when another element of the form announces the same. */
  isAnnounced?: boolean;
}

/** A conflict inside a form: somebody else changed the same object, and the user chooses a version. */
export function ConflictFrame({ title, text, children, acts, isAnnounced = false }: ConflictFrameProps) {
  return (
    <section className={styles.conflict} role={isAnnounced ? 'alert' : undefined} aria-label={title}>
      <p className={styles.title}>
        <IconGitCompare size={18} aria-hidden="true" />
        {title}
      </p>
      <p>{text}</p>
      {children}
      <div className={styles.acts}>{acts}</div>
    </section>
  );
}

export interface LastChanger {
  /** The signed-in user, in another tab or on another device. */
  isOwn: boolean;
  name: string;
}

/**
 * Returns who last changed an object, by the activity log, which only administrators may read. Undefined for others,
 * and until it is known. `what`: undefined while there is no need to know. `version`: of the object now.
 */
export function useLastChanger(
  what: Pick<ActivityFilter, 'types' | 'targetId' | 'channelId'> | undefined,
  version: number,
): LastChanger | undefined {
  const api = useApi();
  const { id, role } = useUser();
  const found = useQuery({
    queryKey: ['lastChanger', what, version],
    queryFn: async ({ signal }) => {
      const { res } = await api.call(getAllActivities, { ...what, limit: 1 }, { signal });
      return res.activities[0]?.user ?? null;
    },
    enabled: what !== undefined && role === 'admin',
  });
  const by = found.data ?? undefined;
  return by === undefined ? undefined : { isOwn: by.id === id, name: by.display_name };
}

/** Returns which of an object's three conflict titles fits. */
export const changedBy = (who: LastChanger | undefined): 'title' | 'titleBy' | 'titleOwn' => {
  if (who === undefined) return 'title';
  return who.isOwn ? 'titleOwn' : 'titleBy';
};
