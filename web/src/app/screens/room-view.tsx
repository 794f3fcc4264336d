import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { isFinal } from '#src/features/voice/final-status.ts';
import { ParticipantGrid } from '#src/features/voice/participant-grid.tsx';
import { TalkButton } from '#src/features/voice/talk-button.tsx';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import type { VoiceActions } from '#src/features/voice/voice-actions.ts';
import { VoiceAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { VoiceNotices } from '#src/features/voice/voice-notices.tsx';
import type { VoicePreferences } from '#src/features/voice/voice-preferences.ts';
import { VoiceSettings } from '#src/features/voice/voice-settings.tsx';
import { RoomClosed } from './room-closed.tsx';
import { RoomHeader } from './room-header.tsx';
import styles from './room-view.module.css';

export type RoomLayout = 'shell' | 'bare';

export interface RoomViewProps {
  snapshot: RoomSnapshot;
  actions: VoiceActions;
  preferences: VoicePreferences;
  onPreferences: (change: Partial<VoicePreferences>) => void;
  onChoosingKey: (isChoosing: boolean) => void;
  /** `bare`: the room without the console around it. */
  layout: RoomLayout;
  fallbackName: string;
  /** Content of the members' panel, and of its heading: rendered only while the panel is shown. */
  members: ReactNode;
  membersCount: ReactNode;
  onLeave: () => void;
  /** Shows the list while one stays in the room; undefined where there is no such thing. */
  onBack: (() => void) | undefined;
  onSignIn: () => void;
  onAgain: () => void;
}

/** Breakpoint of the wide layout (spec §9). */
const WIDE = '(min-width: 1480px)';

/** Renders the room from a snapshot, without engine, network or storage. */
export function RoomView(props: RoomViewProps) {
  const { snapshot, actions, preferences, layout } = props;
  const t = useVoiceWords();
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const { status } = snapshot;
  const label = t('room.label', { name: snapshot.channel?.name ?? props.fallbackName });

  if (isFinal(status)) {
    return (
      <main className={styles.room} data-layout={layout} aria-label={label}>
        <RoomClosed status={status} onBack={props.onLeave} onSignIn={props.onSignIn} onAgain={props.onAgain} />
      </main>
    );
  }
  const openDrawer = () => {
    // A dialog ends the current talk [TALK66].
    actions.stop();
    setDrawerOpen(true);
  };
  return (
    <main
      className={styles.room}
      data-layout={layout}
      data-room-lost={status.state === 'lost' || status.state === 'silent' || undefined}
      aria-label={label}
    >
      <div className={styles.main}>
        <RoomHeader
          snapshot={snapshot}
          fallbackName={props.fallbackName}
          onLeave={props.onLeave}
          onBack={props.onBack}
          onOpenMembers={isWide ? undefined : openDrawer}
          settings={
            <VoiceSettings
              snapshot={snapshot}
              preferences={preferences}
              onChange={props.onPreferences}
              actions={actions}
              onChoosingKey={props.onChoosingKey}
            />
          }
        />
        <VoiceNotices snapshot={snapshot} actions={actions} />
        <div className={styles.stage}>
          <div className={styles.people}>
            <ParticipantGrid snapshot={snapshot} levels={actions.levels} />
          </div>
          <TalkButton snapshot={snapshot} actions={actions} talkKey={preferences.talkKey} />
        </div>
        <VoiceAnnouncer snapshot={snapshot} />
      </div>
      {isWide ? (
        <aside className={styles.aside} aria-label={t('members.title')}>
          <div className={styles.asideHead}>
            <h2 className={styles.asideTitle}>{t('members.title')}</h2>
            <span className={styles.asideCount}>{props.membersCount}</span>
          </div>
          {props.members}
        </aside>
      ) : (
        <Drawer
          opened={isDrawerOpen}
          onClose={() => setDrawerOpen(false)}
          position="right"
          size="min(420px, 100vw)"
          padding={0}
          title={
            <span className={styles.drawerTitle}>
              {t('members.title')} <span className={styles.asideCount}>{props.membersCount}</span>
            </span>
          }
          closeButtonProps={{ 'aria-label': t('members.close') }}
          classNames={{ content: styles.drawer ?? '', body: styles.drawerBody ?? '', header: styles.drawerHead ?? '' }}
        >
          {props.members}
        </Drawer>
      )}
    </main>
  );
}
