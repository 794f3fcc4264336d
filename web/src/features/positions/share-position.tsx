import { ActionIcon } from '@mantine/core';
import { IconAlertTriangle, IconCurrentLocation, IconLoader2, IconMapPinShare } from '@tabler/icons-react';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { PositionSharing, SharingState } from './position-sharing.ts';
import styles from './positions.module.css';
import { type PositionsWords, usePositionsWords } from './positions-words.ts';

export interface ShareSwitchProps {
  sharing: PositionSharing;
  /** Whether the user is in the room, because sharing begins only there. */
  isLive: boolean;
}

export function ShareSwitch({ sharing, isLive }: ShareSwitchProps) {
  const t = usePositionsWords();
  const state = useSnapshot(sharing);
  const isOn = state.state === 'searching' || state.state === 'on' || isTriedOn(state);
  const Icon = isOn ? IconCurrentLocation : IconMapPinShare;
  return (
    <ButtonTooltip label={t('share.hint')} isLong>
      <ActionIcon
        variant={isOn ? 'filled' : 'default'}
        size="lg"
        role="switch"
        aria-checked={isOn}
        aria-label={t('share.label')}
        disabled={!isLive && !isOn}
        onClick={() => (isOn ? sharing.stop() : sharing.start())}
      >
        <Icon size={20} aria-hidden="true" />
      </ActionIcon>
    </ButtonTooltip>
  );
}

/** Says that the position of this device is shared, or why not; empty while sharing is off. */
export function ShareState({ sharing }: { sharing: PositionSharing }) {
  const t = usePositionsWords();
  const state = useSnapshot(sharing);
  const Icon = ICONS[state.state];
  return (
    <p className={styles.shareState} role="status" data-sharing={state.state}>
      {state.state !== 'off' && (
        <>
          <Icon size={16} aria-hidden="true" />
          {stateSentence(t, state)}
        </>
      )}
    </p>
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

/** The mark and the switch of a sharing that is on or failed, where the room's page isn't shown; otherwise nothing. */
export function ShareMark({ sharing, isLive }: ShareSwitchProps) {
  const { state } = useSnapshot(sharing);
  if (state === 'off') return null;
  return (
    <div className={styles.shareMark}>
      <ShareState sharing={sharing} />
      <ShareSwitch sharing={sharing} isLive={isLive} />
    </div>
  );
}
