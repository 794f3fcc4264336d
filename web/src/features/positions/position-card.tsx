import { ActionIcon } from '@mantine/core';
import { IconRoute, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { activitySentence } from '#src/shared/activity-sentence.ts';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Language } from '#src/shared/languages.ts';
import { useAnnouncement } from '#src/shared/ui/announcer.tsx';
import { isStale } from './map/marker-rules.ts';
import type { Person } from './map/position-index.ts';
import type { TrailState } from './map-guide.ts';
import styles from './positions.module.css';
import { useSteadyNow } from './positions-feed.ts';
import { agoSentence, usePositionsWords } from './positions-words.ts';

/** Five decimals are a metre. */
const DECIMALS = 5;
const KILOMETRE = 1_000;

/** Formats degrees in the language. */
const degrees = (value: number, language: Language): string =>
  `${new Intl.NumberFormat(language, { minimumFractionDigits: DECIMALS, maximumFractionDigits: DECIMALS }).format(value)}°`;

type Accuracy =
  | { unit: 'metres'; figures: { metres: number } }
  | { unit: 'kilometres'; figures: { kilometres: string } };

/** Rounds an accuracy: nobody needs tenths of metres, or the metres of ten kilometres. */
function accuracyOf(metres: number | null, language: Language): Accuracy | null {
  if (metres === null) return null;
  if (metres < KILOMETRE) return { unit: 'metres', figures: { metres: Math.max(1, Math.round(metres)) } };
  const kilometres = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 }).format(metres / KILOMETRE);
  return { unit: 'kilometres', figures: { kilometres } };
}

/** Renders further buttons for the chosen person, beside their name. */
export type PersonActs = (person: Person) => ReactNode;

export interface PositionCardProps {
  person: Person;
  trail: TrailState;
  acts: PersonActs;
  onClose: () => void;
}

/** The card of the chosen person: what they did last, coordinates, age and accuracy. */
export function PositionCard({ person, trail, acts, onClose }: PositionCardProps) {
  const t = usePositionsWords();
  const { t: activities } = useTranslation('activities');
  const { current } = useLanguage();
  const ageMs = Math.max(0, useSteadyNow() - person.seenAt);
  const { activity } = person;
  const accuracy = accuracyOf(person.accuracy, current);
  // The card takes no focus (ROOM7).
  useAnnouncement(t('card.label', { name: person.name }));
  return (
    <section
      className={styles.card}
      aria-label={t('card.label', { name: person.name })}
      data-position-card={person.userId}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <header className={styles.cardHead}>
        <h2 className={styles.cardName} title={person.name}>
          <bdi>{person.name}</bdi>
        </h2>
        {acts(person)}
        <ActionIcon variant="subtle" size="lg" aria-label={t('card.close')} onClick={onClose} data-autofocus>
          <IconX size={18} aria-hidden="true" />
        </ActionIcon>
      </header>
      <dl className={styles.facts}>
        <div className={styles.wideFact}>
          <dt>{t('card.activity')}</dt>
          {activity === undefined ? (
            <dd>{activities('none')}</dd>
          ) : (
            <dd>
              <span>{activitySentence(activities, activity)}</span>
              <time dateTime={activity.createdAt}>{formatDateTime(activity.createdAt, current)}</time>
            </dd>
          )}
        </div>
        <div>
          <dt>{t('card.longitude')}</dt>
          <dd>{degrees(person.lng, current)}</dd>
        </div>
        <div>
          <dt>{t('card.latitude')}</dt>
          <dd>{degrees(person.lat, current)}</dd>
        </div>
        <div>
          <dt>{t('card.recorded')}</dt>
          <dd>
            <time dateTime={person.recordedAt} title={formatDateTime(person.recordedAt, current)}>
              {agoSentence(t, ageMs)}
            </time>
          </dd>
        </div>
        <div>
          <dt>{t('card.accuracy')}</dt>
          <dd>{accuracy === null ? t('card.unknownAccuracy') : t(`card.${accuracy.unit}`, accuracy.figures)}</dd>
        </div>
      </dl>
      {isStale(ageMs) && <p className={styles.old}>{t('card.old')}</p>}
      {trail !== 'reading' && (
        <p className={styles.trail}>
          <IconRoute size={16} aria-hidden="true" />
          {t(TRAIL_WORDS[trail])}
        </p>
      )}
    </section>
  );
}

const TRAIL_WORDS = { none: 'card.noTrail', shown: 'card.trail', failed: 'card.trailFailed' } as const;
