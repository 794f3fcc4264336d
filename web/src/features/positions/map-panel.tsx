import type { ChannelId, UserId } from '@pressel/contract/ids';
import { IconMapOff } from '@tabler/icons-react';
import { LoadError } from '#src/shared/ui/load-states.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { LiveMap, type LiveMapProps, type LoadMap, loadMap, type MapFocus } from './live-map.tsx';
import type { Participant } from './map/position-index.ts';
import type { PersonActs } from './position-card.tsx';
import styles from './positions.module.css';
import { type PositionsFeed, usePositionsFeed } from './positions-feed.ts';
import { usePositionsWords } from './positions-words.ts';

export interface MapPanelProps {
  channelId: ChannelId;
  /** The people in the room. Keep its identity while nothing changes. */
  participants: readonly Participant[];
  focus: MapFocus | undefined;
  /** The person asked for has no known position. */
  onUnknown: (userId: UserId) => void;
  personActs: PersonActs;
  /** Loads the map's code; tests pass a fake. */
  load?: LoadMap;
}

/** The map of a channel's members. Fills its container; reads and keeps fresh what it shows. */
export function MapPanel({ channelId, participants, focus, onUnknown, personActs, load = loadMap }: MapPanelProps) {
  const t = usePositionsWords();
  const feed = usePositionsFeed(channelId, participants);
  return (
    <section className={styles.panel} aria-label={t('map.label')} data-map-panel>
      {feed === undefined ? (
        <MapLoading />
      ) : (
        <MapBody feed={feed} focus={focus} onUnknown={onUnknown} personActs={personActs} load={load} />
      )}
    </section>
  );
}

function MapBody({ feed, ...props }: { feed: PositionsFeed } & Omit<LiveMapProps, 'feed' | 'settings' | 'known'>) {
  const t = usePositionsWords();
  const state = useSnapshot(feed);
  switch (state.state) {
    case 'loading':
      return <MapLoading />;
    case 'failed':
      return (
        <div className={styles.middle}>
          <LoadError error={state.error} onRetry={feed.retry} />
        </div>
      );
    case 'forbidden':
      return (
        <div className={styles.middle}>
          <Notice icon={IconMapOff} title={t('map.forbidden')}>
            {t('map.forbiddenMore')}
          </Notice>
        </div>
      );
    case 'ready':
      return <LiveMap feed={feed} settings={state.settings} known={state.known} {...props} />;
    default:
      return state satisfies never;
  }
}

function MapLoading() {
  const t = usePositionsWords();
  return (
    <div className={styles.loading} role="status">
      <span>{t('map.loading')}</span>
    </div>
  );
}
