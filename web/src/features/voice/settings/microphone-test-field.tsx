import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import {
  browserTestDevices,
  createMicrophoneTest,
  type MicrophoneTest,
  type MicrophoneTestState,
} from '../engine/microphone-test.ts';
import type { RoomSnapshot } from '../engine/types.ts';
import { createLevelMeter } from '../level-meter.ts';
import { useVoiceWords } from '../talk-words.ts';
import { type RoomSource, useRoomSelector, type VoiceActions } from '../use-room-selector.ts';
import styles from '../voice-settings.module.css';

export interface MicrophoneTestFieldProps {
  room: RoomSource;
  actions: Pick<VoiceActions, 'probe' | 'loudspeaker' | 'retryMicrophone'>;
  open?: typeof openTest;
}

const openTest = (room: RoomSource, { probe, loudspeaker }: MicrophoneTestFieldProps['actions']): MicrophoneTest =>
  createMicrophoneTest({ room, probe, ...browserTestDevices(loudspeaker) });

/**
 * The level of the chosen microphone, and a test that plays what it records [TALK132] [TALK133]. The test is open as
 * long as this is shown.
 */
export function MicrophoneTestField({ room, actions, open = openTest }: MicrophoneTestFieldProps) {
  const [test, setTest] = useState<MicrophoneTest>();
  useEffect(() => {
    const opened = open(room, actions);
    setTest(opened);
    return opened.close;
  }, [room, actions, open]);
  return test && <OpenTest room={room} test={test} retry={actions.retryMicrophone} />;
}

interface OpenTestProps {
  room: RoomSource;
  test: MicrophoneTest;
  retry: () => Promise<void>;
}

function OpenTest({ room, test, retry }: OpenTestProps) {
  const t = useVoiceWords();
  const current = useSnapshot(test);
  const microphone = useRoomSelector(room, (snapshot) => snapshot.microphone);
  const words = useTestWords(current, microphone);
  const isAtWork = current.state === 'recording' || current.state === 'playing';
  const canRetry = microphone.state === 'unavailable' && microphone.reason !== 'insecure';
  const isOff = current.state === 'off' && !canRetry;
  return (
    <div className={styles.field}>
      <div className={styles.row}>
        <LevelBar test={test} />
        {/* One button for all actions, so that it keeps the focus. */}
        <Button
          size="xs"
          variant="default"
          className={styles.testButton}
          // Not `disabled`, which would take the focus from the button.
          aria-disabled={isOff}
          data-disabled={isOff}
          onClick={() => {
            if (canRetry) void retry();
            else if (isAtWork) test.stop();
            else test.start();
          }}
        >
          {canRetry ? t('notice.retry') : t(`settings.test.${buttonOf(current)}`)}
        </Button>
      </div>
      <p className={styles.testMore} role="status">
        {words}
      </p>
    </div>
  );
}

const buttonOf = ({ state }: MicrophoneTestState) =>
  state === 'recording' ? 'playBack' : state === 'playing' ? 'stop' : 'start';

function useTestWords({ state, result }: MicrophoneTestState, microphone: RoomSnapshot['microphone']): string {
  const t = useVoiceWords();
  if (state === 'recording' || state === 'playing') return t(`settings.test.${state}`);
  if (microphone.state === 'starting') return t('settings.test.asking');
  if (microphone.state === 'unavailable') {
    return `${t(`notice.${microphone.reason}`)} ${t(`notice.${microphone.reason}More`)}`;
  }
  if (state === 'off') return t('settings.test.talking');
  return t(`settings.test.${result ?? 'hint'}`);
}

/** Moves in steps, past React, and without a transition: the movement is its content, even with reduced motion. */
function LevelBar({ test }: { test: MicrophoneTest }) {
  const t = useVoiceWords();
  const bar = useRef<HTMLDivElement>(null);
  const meter = useRef<HTMLMeterElement>(null);
  useEffect(() => {
    const levels = createLevelMeter<'own'>(test.level);
    return levels.watch('own', (level) => {
      bar.current?.style.setProperty('--level', String(level));
      if (meter.current !== null) meter.current.value = level;
    });
  }, [test]);
  return (
    <div ref={bar} className={styles.level}>
      <meter ref={meter} className="spoken" aria-label={t('settings.test.level')} value={0} />
    </div>
  );
}
