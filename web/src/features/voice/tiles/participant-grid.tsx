import type { UserId } from '@pressel/contract/ids';
import type { LevelMeter } from '../level-meter.ts';
import { useVoiceWords } from '../talk-words.ts';
import { type RoomSource, useRoomSelector } from '../use-room-selector.ts';
import waiting from '../waiting.module.css';
import { ParticipantTile } from './participant-tile.tsx';
import styles from './participants.module.css';
import skeletons from './tile-skeletons.module.css';

/** Layouts of the participant tiles (spec §2), by the number of participants including self. */
type GridLayout = 'one' | 'few' | 'six' | 'eight' | 'thirteen' | 'crowd';

/** Up to 13 tiles fill the space, in layouts for 1, 2–4, 5–6, 7–8 and 9–13; more scroll in a dense grid. */
export function gridLayout(count: number): GridLayout {
  if (count <= 1) return 'one';
  if (count <= 4) return 'few';
  if (count <= 6) return 'six';
  if (count <= 8) return 'eight';
  if (count <= 13) return 'thirteen';
  return 'crowd';
}

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
    <div className={styles.area} role="status" aria-label={label} data-placeholder="">
      <div className={styles.grid} data-layout="few">
        <span className={skeletons.skeleton} />
        <span className={skeletons.skeleton} />
      </div>
    </div>
  );
}
