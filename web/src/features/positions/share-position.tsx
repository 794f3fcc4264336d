import { Switch } from '@mantine/core';
import { IconAlertTriangle, IconCurrentLocation, IconLoader2, IconMapPinShare } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useRealtime } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { browserGeolocation, createPositionSharing, type SharingState } from './position-sharing.ts';
import styles from './positions.module.css';
import { type PositionsWords, usePositionsWords } from './positions-words.ts';

export interface SharePositionProps {
  /** Whether one is in the room: sharing begins there only. It ends with this component. */
  isLive: boolean;
}

/** Shares where this device is, plainly visible while it does. Off whenever it is shown first. */
export function SharePosition({ isLive }: SharePositionProps) {
  const t = usePositionsWords();
  const realtime = useRealtime();
  const [sharing] = useState(() => createPositionSharing({ geolocation: browserGeolocation(), realtime }));
  useEffect(() => sharing.stop, [sharing]);
  const state = useSnapshot(sharing);
  const isOn = state.state === 'searching' || state.state === 'on' || isTriedOn(state);
  const Icon = ICONS[state.state];
  return (
    <div className={styles.share} data-sharing={state.state}>
      <Switch
        checked={isOn}
        disabled={!isLive && !isOn}
        label={t('share.label')}
        description={isOn || state.state === 'failed' ? undefined : t('share.hint')}
        onChange={(event) => (event.currentTarget.checked ? sharing.start() : sharing.stop())}
      />
      <p className={styles.shareState} role="status">
        {state.state !== 'off' && (
          <>
            <Icon size={16} aria-hidden="true" />
            {stateSentence(t, state)}
          </>
        )}
      </p>
    </div>
  );
}

const ICONS = {
  off: IconMapPinShare,
  searching: IconLoader2,
  on: IconCurrentLocation,
  failed: IconAlertTriangle,
} as const satisfies Record<SharingState['state'], unknown>;

const isTriedOn = (state: SharingState): boolean => state.state === 'failed' && state.reason === 'unavailable';

function stateSentence(t: PositionsWords, state: Exclude<SharingState, { state: 'off' }>): string {
  switch (state.state) {
    case 'searching':
      return t('share.searching');
    case 'on':
      return t(state.isPending ? 'share.waiting' : 'share.on');
    case 'failed':
      return t(`share.${state.reason}`);
    default:
      return state satisfies never;
  }
}
