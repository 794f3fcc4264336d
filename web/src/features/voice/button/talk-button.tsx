import type { ParticipantId } from '@pressel/contract/ids';
import { TALK_WARNING_MS } from '@pressel/contract/limits';
import {
  IconAlertTriangle,
  IconAntenna,
  IconBan,
  IconEar,
  IconHandStop,
  IconHourglass,
  IconLoader2,
  IconMicrophone,
  IconMicrophoneOff,
  IconPlayerStop,
  IconVolume3,
  IconVolumeOff,
  IconWifiOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { useEffect, useId, useState } from 'react';
import { isHeld } from '../engine/talk-holds.ts';
import type { RoomSnapshot } from '../engine/types.ts';
import { LastTalkLine } from '../last-talk.tsx';
import { useLevel } from '../level-meter.ts';
import { isWithoutSound, type TalkButtonKind, type TalkButtonState, talkButtonState } from '../talk-button-state.ts';
import type { TalkKey } from '../talk-key.ts';
import { keyName, talkButtonDetail, talkButtonTitle, useVoiceWords } from '../talk-words.ts';
import { type RoomSource, useRoomSelector, type VoiceActions } from '../use-room-selector.ts';
import { BusyTitle } from './busy-title.tsx';
import styles from './talk-button.module.css';

/**
 * The last seconds are counted one by one. Before them nobody reads the number, and each step costs a frame [TALK90].
 */
const COUNTED_S = TALK_WARNING_MS / 1000;
const STEP_S = 3;

/**
 * Seconds until `endsAt`, rounded up and never negative, in steps of STEP_S down to the last seconds; undefined without
 * `endsAt`. `endsAt` is a performance.now() reading, ms.
 */
function useSecondsLeft(endsAt: number | undefined): number | undefined {
  const [reading, setReading] = useState<{ endsAt: number; seconds: number } | undefined>(undefined);
  useEffect(() => {
    if (endsAt === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      const left = endsAt - performance.now();
      const seconds = Math.max(0, Math.ceil(left / 1000));
      setReading({ endsAt, seconds });
      const next = seconds > COUNTED_S ? Math.max(COUNTED_S, seconds - STEP_S) : seconds - 1;
      if (seconds > 0) timer = setTimeout(tick, left - next * 1000 + 1);
    };
    tick();
    return () => clearTimeout(timer);
  }, [endsAt]);
  return reading !== undefined && reading.endsAt === endsAt ? reading.seconds : undefined;
}

const ICONS: Record<TalkButtonKind, TablerIcon> = {
  joining: IconLoader2,
  starting: IconLoader2,
  idle: IconMicrophone,
  asking: IconHourglass,
  late: IconAlertTriangle,
  talking: IconAntenna,
  ending: IconPlayerStop,
  busy: IconEar,
  queued: IconHourglass,
  denied: IconBan,
  unheard: IconVolumeOff,
  revoked: IconHandStop,
  no_microphone: IconMicrophoneOff,
  no_link: IconWifiOff,
};

function iconOf(talkButton: TalkButtonState): TablerIcon {
  if (talkButton.kind === 'revoked' && talkButton.reason === 'link') return IconWifiOff;
  if (isWithoutSound(talkButton)) return talkButton.kind === 'busy' ? IconVolume3 : IconMicrophoneOff;
  return ICONS[talkButton.kind];
}

/** Share of the button's size by which a voice widens its halo. */
const HALO_REACH = 0.16;
/** Titles longer than this use a smaller font, so that long names fit. */
const LONG_TITLE = 32;

/** The hold-to-talk button. Colour, icon and text are derived from one TalkFace, so that they always agree. */
export function TalkButton(props: {
  room: RoomSource;
  actions: VoiceActions;
  talkKey: TalkKey;
  /** `bar`: wide and low, where another panel has the room. */
  shape?: 'round' | 'bar';
  /**
   * Whether tiles are in view. Then the talker's tile moves with the voice, and the button moves only with the user's
   * own [TALK90]. The tile also says who is alone [ROOM26].
   */
  hasTiles: boolean;
}) {
  const { room, actions, talkKey, shape = 'round', hasTiles } = props;
  const { levels, bindButton } = actions;
  const t = useVoiceWords();
  const detailId = useId();
  const hintId = useId();
  const talkButton = useRoomSelector(room, talkButtonState);
  const isPressed = useRoomSelector(room, ({ talk }) => isHeld(talk));
  const sounding = useRoomSelector(room, (snapshot) => soundingId(snapshot, talkButton.kind, hasTiles));
  const endsAt = talkButton.kind === 'talking' ? talkButton.endsAt : undefined;
  const secondsLeft = useSecondsLeft(endsAt);
  const lastSeconds = secondsLeft !== undefined && secondsLeft * 1000 <= TALK_WARNING_MS ? secondsLeft : undefined;
  const isSounding = talkButton.kind === 'talking' || talkButton.kind === 'busy';
  const halo = useLevel<HTMLSpanElement>(levels, sounding, HALO_REACH);
  const Icon = iconOf(talkButton);
  const title = talkButtonTitle(t, talkButton);
  const canPress =
    talkButton.kind !== 'no_link' && talkButton.kind !== 'no_microphone' && talkButton.kind !== 'joining';

  return (
    <div
      className={styles.dock}
      data-shape={shape}
      data-face={talkButton.kind}
      data-soundless={isWithoutSound(talkButton) || undefined}
      data-warning={lastSeconds !== undefined || undefined}
      data-cut={(talkButton.kind === 'talking' && talkButton.isCut) || undefined}
    >
      <div className={styles.wrap}>
        {isSounding && <span className={styles.halo} ref={halo} aria-hidden="true" />}
        <button
          type="button"
          className={styles.button}
          ref={bindButton}
          aria-pressed={isPressed}
          aria-describedby={canPress ? `${detailId} ${hintId}` : detailId}
          data-talk-button=""
          data-state={talkButton.kind}
        >
          <span className={styles.mark} aria-hidden="true">
            {talkButton.kind === 'queued' ? (
              <span className={styles.number}>{talkButton.position}</span>
            ) : lastSeconds !== undefined ? (
              <span className={styles.number}>{lastSeconds}</span>
            ) : (
              <Icon className={styles.icon} stroke={1.6} />
            )}
          </span>
          {talkButton.kind === 'busy' && shape === 'round' ? (
            <BusyTitle name={talkButton.talkerName} />
          ) : (
            <span className={styles.title} data-long={title.length > LONG_TITLE || undefined}>
              {title}
            </span>
          )}
        </button>
        {talkButton.kind === 'talking' && (
          <TalkTimer seconds={(talkButton.endsAt - talkButton.since) / 1000} left={secondsLeft} />
        )}
      </div>
      <p className={styles.detail} id={detailId}>
        {talkButtonDetail(
          t,
          hasTiles && talkButton.kind === 'idle' ? { ...talkButton, isAlone: false } : talkButton,
          lastSeconds,
        )}
      </p>
      {shape === 'round' && <LastTalk room={room} />}
      <p className={styles.hint} id={hintId} data-idle={canPress ? undefined : true}>
        {t('hint.hold')} <kbd className={styles.key}>{keyName(t, talkKey)}</kbd>
      </p>
    </div>
  );
}

function LastTalk({ room }: { room: RoomSource }) {
  return <LastTalkLine talk={useRoomSelector(room, ({ lastTalk }) => lastTalk)} />;
}

/** The participant whose voice moves the button. */
function soundingId(snapshot: RoomSnapshot, kind: TalkButtonKind, hasTiles: boolean): ParticipantId | undefined {
  if (kind === 'talking') return snapshot.participants.find((one) => one.isSelf)?.id;
  return kind === 'busy' && !hasTiles ? snapshot.talkers[0]?.id : undefined;
}

/** A ring that shows how much of the talk's time has passed, in the steps of `left`: it repaints once per step. */
function TalkTimer({ seconds, left = seconds }: { seconds: number; left: number | undefined }) {
  return (
    <svg className={styles.timer} viewBox="0 0 100 100" aria-hidden="true">
      <circle className={styles.timerTrack} cx="50" cy="50" r="48" pathLength="1" />
      <circle
        className={styles.timerLeft}
        cx="50"
        cy="50"
        r="48"
        pathLength="1"
        style={{ strokeDashoffset: 1 - left / seconds }}
      />
    </svg>
  );
}
