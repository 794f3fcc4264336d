import { ActionIcon } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { IconSelector } from '@tabler/icons-react';
import { useEffect } from 'react';
import { TalkButton } from '#src/features/voice/button/talk-button.tsx';
import { isFinal } from '#src/features/voice/engine/types.ts';
import {
  type PreferencesChange,
  type VoicePreferences,
  withVolume,
} from '#src/features/voice/settings/voice-preferences.ts';
import { loadSettings, VoiceSettings } from '#src/features/voice/settings/voice-settings.tsx';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { ParticipantGrid } from '#src/features/voice/tiles/participant-grid.tsx';
import { TalkerStrip } from '#src/features/voice/tiles/talker-strip.tsx';
import { loadVolume } from '#src/features/voice/tiles/volume-control.tsx';
import { type RoomSource, useRoomSelector, type VoiceActions } from '#src/features/voice/use-room-selector.ts';
import { VoiceAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { VoiceNotices } from '#src/features/voice/voice-notices.tsx';
import { loadableChunk } from '#src/shared/renewal.ts';
import { ButtonTooltip, loadTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { useMadeMenu } from '#src/shared/ui/use-made-menu.ts';
import { loadWhenIdle } from '#src/shared/when-idle.ts';
import { useEnteredRooms } from './entered-rooms-context.tsx';
import { PaneToggles } from './pane-toggles.tsx';
import type { Panel } from './panel-names.ts';
import { arrange, type Pane } from './panels.rules.ts';
import { RoomClosed } from './room-closed.tsx';
import styles from './room-frame.module.css';
import { RoomFrame } from './room-frame.tsx';
import { RoomHeader, VideoViewLink } from './room-header.tsx';
import type { RoomContent } from './room-panels.tsx';
import { RoomTitle, useRoomPage } from './room-title.ts';
import type { RoomFrameState } from './use-room-frame-state.ts';

/** Loads the code of the channel list before it is opened. */
const loadSwitcher = loadableChunk(() => import('./switcher-list.tsx'));

/** Opens a filterable list of the user's channels, to go straight from one room to another. */
function ChannelSwitcher({ channelId }: { channelId: ChannelId | undefined }) {
  const t = useVoiceWords();
  const enteredRooms = useEnteredRooms();
  const { buttonRef, made, isOpen, setOpen, toggle } = useMadeMenu(loadSwitcher, 'listbox');
  const label = t('switcher.label');
  const button = (
    <ButtonTooltip label={label}>
      <ActionIcon
        ref={buttonRef}
        variant="subtle"
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        onClick={() => {
          // Opening the list ends a talk [TALK66].
          enteredRooms.getSnapshot()?.room.stop();
          toggle();
        }}
      >
        <IconSelector size={18} aria-hidden="true" />
      </ActionIcon>
    </ButtonTooltip>
  );
  if (made === undefined) return button;
  const onOpen = (next: boolean) => {
    setOpen(next);
    // The focused field is removed with the list, so the button gets the focus.
    if (!next && document.activeElement instanceof HTMLInputElement) buttonRef.current?.focus();
  };
  return <made.SwitcherList here={channelId} button={button} isOpen={isOpen} onOpen={onOpen} />;
}

export type RoomLayout = 'shell' | 'bare';

export interface RoomViewProps extends RoomContent {
  room: RoomSource;
  actions: VoiceActions;
  preferences: VoicePreferences;
  onPreferences: (change: PreferencesChange) => void;
  onChoosingKey: (isChoosing: boolean) => void;
  /** `shell`: the console's navigation is around the room. `bare`: the room fills the page. */
  layout: RoomLayout;
  fallbackName: string;
  frameState: RoomFrameState;
  /** The panel that the page's address asks for. */
  wanted: Panel | undefined;
  onWant: (panel: Panel | undefined) => void;
  onLeave: () => void;
  /** Goes back to the channel list without leaving the room; undefined for users who have no such list. */
  onBack: (() => void) | undefined;
  onSignIn: () => void;
  onAgain: () => void;
}

/** The parts that the room's buttons open. They are loaded ahead, so that no button waits and an upgrade can't break it. */
const OPENED = [loadTooltip, loadSettings, loadSwitcher, loadVolume];

/** Renders the room from its snapshots alone; it knows neither the engine nor the network. Each part subscribes to what it shows. */
export function RoomView(props: RoomViewProps) {
  const { room, actions, preferences, onPreferences, layout, panels, wanted, onWant } = props;
  const t = useVoiceWords();
  const { width, frame, setWidth, setFolded } = props.frameState;
  const status = useRoomSelector(room, (snapshot) => snapshot.status);
  const channelId = useRoomSelector(room, ({ channel }) => channel?.id);
  const name = useRoomSelector(room, ({ channel }) => channel?.name);
  useRoomPage(room, props.fallbackName);
  useEffect(() => loadWhenIdle(OPENED), []);
  const label = t('room.label', { name: name ?? props.fallbackName });

  if (isFinal(status)) {
    return (
      <main className={styles.room} data-layout={layout} aria-label={label}>
        <RoomClosed status={status} onBack={props.onLeave} onSignIn={props.onSignIn} onAgain={props.onAgain}>
          {props.unsent}
        </RoomClosed>
      </main>
    );
  }
  const arrangement = arrange({ width, hasMap: panels.map !== undefined, wanted, folded: frame.folded });
  const showsTiles = arrangement.people === 'whole' || arrangement.people === 'pane';
  // While the connection is lost nobody knows who talks, so there is no strip; a notice says that it is lost.
  const strip = status.state === 'joined' && <TalkerStrip room={room} />;
  const foldSide = (isFolded: boolean) => {
    setFolded('side', isFolded);
    if (wanted !== 'map') onWant(undefined);
  };
  const fold = (pane: Pane, isFolded: boolean) => {
    if (pane === 'side') return foldSide(isFolded);
    setFolded(pane, isFolded);
    if (pane === 'map' && wanted === 'map') onWant(undefined);
  };
  return (
    <main
      className={styles.room}
      data-layout={layout}
      data-room-lost={status.state === 'lost' || status.state === 'silent' || undefined}
      aria-label={label}
    >
      <RoomHeader
        room={room}
        fallbackName={props.fallbackName}
        onLeave={props.onLeave}
        onBack={props.onBack}
        switcher={layout === 'shell' && <ChannelSwitcher channelId={channelId} />}
        panes={
          <>
            <VideoViewLink room={room} isSpare={Boolean(props.guests)} />
            {props.guests}
            {props.sharing.toggle}
            <PaneToggles
              width={width}
              arrangement={arrangement}
              hasMap={panels.map !== undefined}
              unread={panels.unread}
              onFold={fold}
              onWant={onWant}
            />
          </>
        }
        settings={
          <VoiceSettings
            room={room}
            preferences={preferences}
            onChange={onPreferences}
            actions={actions}
            onChoosingKey={props.onChoosingKey}
          />
        }
      />
      <div>
        <VoiceNotices room={room} actions={actions} />
        {props.sharing.state}
      </div>
      {!showsTiles && strip}
      <RoomFrame
        width={width}
        arrangement={arrangement}
        frame={frame}
        panels={panels}
        people={
          <ParticipantGrid
            room={room}
            levels={actions.levels}
            onVolume={(userId, volume) =>
              onPreferences(({ volumes }) => ({ volumes: withVolume(volumes, userId, volume) }))
            }
          />
        }
        strip={strip}
        dock={
          <TalkButton
            room={room}
            actions={actions}
            talkKey={preferences.talkKey}
            shape={width === 'narrow' && !showsTiles ? 'bar' : 'round'}
            hasTiles={showsTiles}
          />
        }
        mapCalls={props.mapCalls}
        isMapWanted={wanted === 'map'}
        onWidth={setWidth}
        onWant={onWant}
        onFoldSide={() => (width === 'wide' ? foldSide(true) : onWant(undefined))}
      />
      <VoiceAnnouncer room={room} />
      <RoomTitle room={room} />
      {props.dialogs}
      {props.news}
    </main>
  );
}
