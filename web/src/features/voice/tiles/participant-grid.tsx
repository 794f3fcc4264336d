import type { UserId } from '@pressel/contract/ids';
import type { LevelMeter } from '../level-meter.ts';
import { useVoiceWords } from '../talk-words.ts';
import { type RoomSource, useRoomSelector } from '../use-room-selector.ts';
import waiting from '../waiting.module.css';
import { gridLayout } from './grid-layout.ts';
import { ParticipantTile } from './participant-tile.tsx';
import styles from './participants.module.css';
import skeletons from './tile-skeletons.module.css';

/** The participants in the engine's order, which is independent of who talks, so that tiles never move. */
export function ParticipantGrid(props: {
  room: RoomSource;
  levels: LevelMeter;
  onVolume: (userId: UserId, volume: number) => void;
}) {
  const participants = useRoomSelector(props.room, (snapshot) => snapshot.participants);
  const state = useRoomSelector(props.room, ({ status }) => status.state);
  const canTalk = useRoomSelector(props.room, ({ microphone }) => microphone.state === 'ready');
  const canSetVolume = useRoomSelector(props.room, (snapshot) => snapshot.canSetVolume);
  const t = useVoiceWords();
  const isAlone = participants.length < 2;
  if (participants.length === 0) {
    return state === 'joining' ? <TileSkeletons label={t('talk.joining')} /> : <div className={styles.area} />;
  }
  return (
    <div className={`${styles.area} ${waiting.place}`} data-stale={state === 'lost' || state === 'silent' || undefined}>
      <ul
        className={styles.grid}
        aria-label={t('tile.grid')}
        data-layout={gridLayout(participants.length)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard, and has no focusable content
        tabIndex={0}
      >
        {participants.map((participant) => (
          <ParticipantTile
            key={participant.id}
            participant={participant}
            canTalk={canTalk}
            levels={props.levels}
            onVolume={props.onVolume}
            canSetVolume={canSetVolume}
          />
        ))}
      </ul>
      {isAlone && (
        <p className={waiting.waiting} data-alone="">
          <strong>{t('tile.waiting')}</strong>
          <span>{t('tile.waitingMore')}</span>
        </p>
      )}
    </div>
  );
}

function TileSkeletons({ label }: { label: string }) {
  return (
    <div className={styles.area} role="status" aria-label={label}>
      <div className={styles.grid} data-layout="few">
        <span className={skeletons.skeleton} />
        <span className={skeletons.skeleton} />
      </div>
    </div>
  );
}
