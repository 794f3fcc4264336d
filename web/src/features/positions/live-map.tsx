import { ActionIcon, Button, useComputedColorScheme } from '@mantine/core';
import type { UserId } from '@pressel/contract/ids';
import { IconMapOff, IconMinus, IconPlus, IconUsersGroup, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useLanguage } from '#src/shared/i18n/use-translation.tsx';
import { ChunkGoneError, loadableChunk } from '#src/shared/renewal.ts';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { type SnapshotSource, useSnapshot } from '#src/shared/use-snapshot.ts';
import mapStyles from './map/map.module.css';
import { distanceText, type MapScale } from './map/map-scale.ts';
import type { MapOptions, MapView } from './map/map-view.ts';
import type { Person } from './map/position-index.ts';
import { createMapGuide, type MapGuide } from './map-guide.ts';
import { type PersonActs, PositionCard } from './position-card.tsx';
import styles from './positions.module.css';
import { type MapSettings, type PositionsFeed, steadyNow, usePerson } from './positions-feed.ts';
import { markerWords, usePositionsWords } from './positions-words.ts';

/** Shows how far it is across some of the map. Screen readers get nothing of it. */
function ScaleBar({ scale }: { scale: SnapshotSource<MapScale> }) {
  const { current: language } = useLanguage();
  const { metres, px } = useSnapshot(scale);
  return (
    <p className={styles.scale} style={{ width: px }} aria-hidden="true" data-map-scale={metres}>
      {distanceText(metres, language)}
    </p>
  );
}

interface CrowdListProps {
  members: readonly Person[];
  onChoose: (userId: UserId) => void;
  onClose: () => void;
}

/** Lists people at one place, whom no zoom takes apart. */
function CrowdList({ members, onChoose, onClose }: CrowdListProps) {
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

/** The user to show. `nonce` differs each time, so that the same person can be requested again. */
export interface MapFocus {
  userId: UserId;
  nonce: number;
}

export interface LiveMapProps {
  feed: PositionsFeed;
  settings: MapSettings;
  /** How many positions are known. */
  known: number;
  focus: MapFocus | undefined;
  onUnknown: (userId: UserId) => void;
  personActs: PersonActs;
  load: LoadMap;
}

/** The map itself, its controls, and the card of the chosen person. */
export function LiveMap({ feed, settings, known, focus, onUnknown, personActs, load }: LiveMapProps) {
  const t = usePositionsWords();
  const [guide] = useState(() => createMapGuide(feed));
  const [acts] = useState(() => ({
    onChoose: (userId: string | null) => guide.choose(userId as UserId | null),
    onCrowd: (userIds: readonly string[]) => guide.showCrowd(userIds as readonly UserId[]),
  }));
  const { view, drawn, isGroundLost, error, container } = useMapView(feed, settings, acts, load);
  useEffect(() => view && guide.attach(view), [guide, view]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once for each nonce
  useEffect(() => {
    if (focus !== undefined) guide.focus(focus.userId, onUnknown);
  }, [guide, focus?.nonce]);

  // The page handles a part that is gone after an upgrade.
  if (error instanceof ChunkGoneError) throw error;
  if (error !== undefined) {
    return (
      <div className={styles.middle}>
        <Notice icon={IconMapOff} title={t('map.undrawable')}>
          {t('map.undrawableMore')}
        </Notice>
      </div>
    );
  }
  return (
    <>
      <div ref={container} className={mapStyles.map} data-map={drawn?.source ?? 'loading'} />
      {drawn === undefined && (
        <p className={styles.pending} role="status">
          {t('map.loading')}
        </p>
      )}
      <MapNotes drawn={drawn} isGroundLost={isGroundLost} known={known} />
      {view !== undefined && <MapControls view={view} known={known} />}
      {view !== undefined && drawn !== undefined && <ScaleBar scale={view.scale} />}
      <Chosen feed={feed} guide={guide} personActs={personActs} />
      {drawn !== undefined && drawn.attributions.length > 0 && (
        <p className={styles.attribution}>{t('map.attribution', { sources: drawn.attributions.join(', ') })}</p>
      )}
    </>
  );
}

interface MapNotesProps {
  drawn: DrawnStyle | undefined;
  isGroundLost: boolean;
  known: number;
}

function MapNotes({ drawn, isGroundLost, known }: MapNotesProps) {
  const t = usePositionsWords();
  const [isRead, setRead] = useState(false);
  return (
    <div className={styles.notes} role="status">
      {drawn?.isFallback === true && !isRead && (
        <div className={styles.note} data-fallback>
          <span>{t('map.fallback')}</span>
          <ActionIcon variant="subtle" size="md" aria-label={t('map.dismiss')} onClick={() => setRead(true)}>
            <IconX size={16} aria-hidden="true" />
          </ActionIcon>
        </div>
      )}
      {isGroundLost && <p className={styles.note}>{t('map.groundLost')}</p>}
      {drawn !== undefined && known === 0 && <p className={styles.note}>{t('map.empty')}</p>}
    </div>
  );
}

function MapControls({ view, known }: { view: MapView; known: number }) {
  const t = usePositionsWords();
  return (
    <div className={styles.controls}>
      <Button
        variant="default"
        size="sm"
        className={styles.showAll}
        leftSection={<IconUsersGroup size={18} aria-hidden="true" />}
        disabled={known === 0}
        onClick={() => view.showAll()}
      >
        <span className={styles.showAllWord}>{t('map.showAll')}</span>
      </Button>
      <ButtonTooltip label={t('map.zoomIn')}>
        <ActionIcon variant="default" size="lg" aria-label={t('map.zoomIn')} onClick={() => view.zoomBy(1)}>
          <IconPlus size={18} aria-hidden="true" />
        </ActionIcon>
      </ButtonTooltip>
      <ButtonTooltip label={t('map.zoomOut')}>
        <ActionIcon variant="default" size="lg" aria-label={t('map.zoomOut')} onClick={() => view.zoomBy(-1)}>
          <IconMinus size={18} aria-hidden="true" />
        </ActionIcon>
      </ButtonTooltip>
    </div>
  );
}

interface ChosenProps {
  feed: PositionsFeed;
  guide: MapGuide;
  personActs: PersonActs;
}

function Chosen({ feed, guide, personActs }: ChosenProps) {
  const { chosen, trail, crowd } = useSnapshot(guide);
  const person = usePerson(feed, chosen);
  const shown = person?.userId;
  useEffect(() => (shown === undefined ? undefined : feed.follow(shown)), [feed, shown]);
  const opener = useRef<Element>(null);
  useEffect(() => {
    if (chosen !== null || crowd.length > 0) opener.current = document.activeElement;
  }, [chosen, crowd]);
  const close = () => {
    guide.choose(null);
    // If the card has the focus, the focus goes back to the row or the marker that led to it.
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  if (person !== undefined) return <PositionCard person={person} trail={trail} acts={personActs} onClose={close} />;
  if (crowd.length === 0) return null;
  const people = feed.positions.people();
  const members = crowd.flatMap((userId) => people.get(userId) ?? []);
  return <CrowdList members={members} onChoose={guide.choose} onClose={close} />;
}

export type LoadMap = () => Promise<{ openMap: (options: MapOptions) => MapView }>;

/** The map's own code, larger than the rest of the app: loaded when a map is shown. */
export const loadMap: LoadMap = loadableChunk(() => import('./map/open-map.ts'));

type DrawnStyle = Parameters<MapOptions['onStyle']>[0];

interface ShownMap {
  /** Undefined until the map is there. */
  view: MapView | undefined;
  drawn: DrawnStyle | undefined;
  /** The ground can't be drawn at the moment. */
  isGroundLost: boolean;
  /** The browser can't draw the map, or its code could not be loaded. */
  error: unknown;
  container: React.RefObject<HTMLDivElement | null>;
}

interface MapActs {
  onChoose: (userId: string | null) => void;
  onCrowd: (userIds: readonly string[]) => void;
}

/** Shows the map in `container` while the caller is mounted. */
function useMapView(
  feed: PositionsFeed,
  settings: MapSettings,
  { onChoose, onCrowd }: MapActs,
  load: LoadMap,
): ShownMap {
  const t = usePositionsWords();
  const { current: language } = useLanguage();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const container = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<MapView>();
  const [drawn, setDrawn] = useState<DrawnStyle>();
  const [isGroundLost, setGroundLost] = useState(false);
  const [error, setError] = useState<unknown>();
  const { styleUrl } = settings;
  const [lng, lat] = settings.center;

  // Another language is another map: its names and hints are part of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme that it begins with; changes are told to the map
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    let opened: MapView | undefined;
    let unsubscribe: (() => void) | undefined;
    let isGone = false;
    load()
      .then(({ openMap }) => {
        if (isGone) return;
        const map = openMap({
          ...{ container: element, styleUrl, center: [lng, lat], scheme, language, onChoose, onCrowd },
          texts: {
            title: t('map.canvas'),
            cooperative: {
              windows: t('map.cooperativeWindows'),
              mac: t('map.cooperativeMac'),
              touch: t('map.cooperativeTouch'),
            },
          },
          words: markerWords(t),
          people: feed.positions.people,
          now: steadyNow,
          onStyle: setDrawn,
          onGround: setGroundLost,
        });
        opened = map;
        unsubscribe = feed.positions.subscribe(map.changed);
        setView(map);
      })
      .catch((cause: unknown) => {
        if (!isGone) setError(cause);
      });
    return () => {
      isGone = true;
      unsubscribe?.();
      opened?.close();
      setView(undefined);
      setDrawn(undefined);
      setGroundLost(false);
      setError(undefined);
    };
  }, [feed, styleUrl, lng, lat, language, t, onChoose, onCrowd, load]);

  useEffect(() => view?.setScheme(scheme), [view, scheme]);
  return { view, drawn, isGroundLost, error, container };
}
