import type { ChannelId } from '@pressel/contract/ids';
import { ROOMS_MAX } from '@pressel/contract/limits';
import { IconAntenna, IconMicrophone } from '@tabler/icons-react';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { EnteredRoom } from '#src/features/room/entered-rooms.ts';
import bar from '#src/features/room/room-bar.module.css';
import { newsOf, TalkInLine } from '#src/features/room/room-bar.tsx';
import { usePreferences } from '#src/features/room/use-room-page.ts';
import { bindWholeButton } from '#src/features/voice/engine/talk-button.ts';
import { isHeld, type LatchedTalk } from '#src/features/voice/engine/talk-holds.ts';
import { isFinal, type RoomSnapshot, type TalkState } from '#src/features/voice/engine/types.ts';
import type { VoiceSettingsProps } from '#src/features/voice/settings/settings-popover.tsx';
import { VoiceSettings } from '#src/features/voice/settings/voice-settings.tsx';
import { isWithoutSound, talkButtonState } from '#src/features/voice/talk-button-state.ts';
import type { TalkKey } from '#src/features/voice/talk-key.ts';
import { keyName, useVoiceWords } from '#src/features/voice/talk-words.ts';
import { useRoomSelector, useRoomsSelector } from '#src/features/voice/use-room-selector.ts';
import { RoomsAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { DeviceNotices, MissedNotice, NoticeStack } from '#src/features/voice/voice-notices.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { TickBox } from '#src/shared/ui/tick-box.tsx';
import styles from './board.module.css';

/** The board's rooms by channel id, in the order of the address. */
export type BoardRooms = ReadonlyMap<ChannelId, EnteredRoom>;

/**
 * Shows several rooms at once: a row for each, and one talk button for all ticked ones [ROOM50]. `isCut`: the address
 * names more.
 */
export function BoardPage({ enteredRooms, isCut }: { enteredRooms: BoardRooms; isCut: boolean }) {
  const t = useVoiceWords();
  const [left, setLeft] = useState<ReadonlySet<ChannelId>>(new Set());
  const open = useRoomsToTalkIn(enteredRooms);
  const selected = useMemo(
    () => [...enteredRooms].flatMap(([id, enteredRoom]) => (open.has(id) && !left.has(id) ? [enteredRoom] : [])),
    [enteredRooms, open, left],
  );
  const bound = useTalkTargets(enteredRooms, selected);
  const [preferences, setPreferences] = usePreferences();
  const rooms = useMemo(() => [...enteredRooms.values()].map(({ room }) => room), [enteredRooms]);
  // Any room that is still open knows the state of microphone and sound.
  const device = [...enteredRooms].find(([id]) => open.has(id))?.[1];
  return (
    <Page
      title={t('board.title')}
      acts={
        device && (
          // On phones a page stretches its last button, which suits words and not an icon.
          <div>
            <VoiceSettings
              room={device.room}
              preferences={preferences}
              onChange={(change) => setPreferences(change, [...enteredRooms.values()])}
              actions={actionsFor(device, enteredRooms)}
              onChoosingKey={(isChoosing) => device.room.pageTalk.setKey({ isChoosing })}
            />
          </div>
        )
      }
    >
      <p className={styles.lead}>{t('board.lead')}</p>
      {isCut && <InlineError>{t('board.cut', { count: ROOMS_MAX })}</InlineError>}
      {device && (
        <NoticeStack>
          <DeviceNotices room={device.room} actions={device.actions} />
        </NoticeStack>
      )}
      <RoomsAnnouncer rooms={rooms} />
      <ul className={styles.rooms}>
        {[...enteredRooms].map(([id, enteredRoom]) => (
          <Row
            key={id}
            id={id}
            enteredRoom={enteredRoom}
            isSelected={!left.has(id)}
            onSelect={(isSelected) =>
              setLeft(new Set([...enteredRooms.keys()].filter((one) => (one === id ? !isSelected : left.has(one)))))
            }
          />
        ))}
      </ul>
      {bound !== undefined && <TalkToAll {...bound} selected={selected} talkKey={preferences.talkKey} />}
    </Page>
  );
}

/**
 * The actions of the settings. All rooms share the devices, and `stop` ends the talks in all of them. A board silences
 * no room.
 */
function actionsFor({ actions }: EnteredRoom, enteredRooms: BoardRooms): VoiceSettingsProps['actions'] {
  const { selectMicrophone, retryMicrophone, loudspeaker, probe } = actions;
  const stop = () => {
    for (const { room } of enteredRooms.values()) room.stop();
  };
  return { selectMicrophone, retryMicrophone, loudspeaker, probe, stop };
}

/** The ids of the rooms that the user may talk in: those that neither refused the user nor put them out. */
function useRoomsToTalkIn(enteredRooms: BoardRooms): ReadonlySet<ChannelId> {
  const rooms = useMemo(() => [...enteredRooms.values()].map(({ room }) => room), [enteredRooms]);
  const ids = useRoomsSelector(rooms, (snapshots) =>
    [...enteredRooms.keys()].filter((_, index) => !isFinal((snapshots[index] as RoomSnapshot).status)).join(),
  );
  return useMemo(() => new Set(ids.split(',') as ChannelId[]), [ids]);
}

interface RowProps {
  id: ChannelId;
  enteredRoom: EnteredRoom;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
}

function Row({ id, enteredRoom, isSelected, onSelect }: RowProps) {
  const t = useVoiceWords();
  const { room, actions } = enteredRoom;
  const isOver = useRoomSelector(room, ({ status }) => isFinal(status));
  // The server doesn't name channels that it refuses, so only the id tells them apart.
  const unnamed = isOver ? t('board.unnamed', { id }) : t('room.unnamed');
  const name = useRoomSelector(room, ({ channel }) => channel?.name) ?? unnamed;
  const talkButton = useRoomSelector(room, talkButtonState);
  const news = useRoomSelector(room, (snapshot) => newsOf(t, snapshot));
  const people = useRoomSelector(room, ({ participants }) => participants.length);
  return (
    <li
      className={`${bar.bar} ${styles.room}`}
      aria-label={name}
      data-room={name}
      data-people={people}
      data-face={talkButton.kind}
      data-soundless={isWithoutSound(talkButton) || undefined}
    >
      {!isOver && <MissedNotice room={room} actions={actions} />}
      <div className={styles.row}>
        {!isOver && <TickBox isTicked={isSelected} label={t('board.select', { name })} onTick={onSelect} />}
        <div className={`${bar.place} ${styles.place}`}>
          <h2 className={bar.name} dir="auto">
            {name}
          </h2>
          <span className={bar.news}>{news}</span>
        </div>
        {!isOver && (
          <div className={styles.talk}>
            <TalkInLine room={room} bind={actions.bindButton} />
          </div>
        )}
      </div>
    </li>
  );
}

function TalkToAll({
  targets,
  bindButton,
  selected,
  talkKey,
}: BoundTargets & { selected: readonly EnteredRoom[]; talkKey: TalkKey }) {
  const t = useVoiceWords();
  const state = useSyncExternalStore(targets.subscribe, () => targets.getSnapshot().talk.state);
  const onAir = useSyncExternalStore(
    targets.subscribe,
    () => selected.filter(({ room }) => room.getSnapshot().talk.state === 'talking').length,
  );
  const isPressed = useSyncExternalStore(targets.subscribe, () => isHeld(targets.getSnapshot().talk));
  const Icon = state === 'talking' ? IconAntenna : IconMicrophone;
  return (
    <section className={`${bar.bar} ${styles.all}`} aria-label={t('board.group')} data-face={faceOf(state)}>
      <button
        type="button"
        className={bar.talk}
        ref={bindButton}
        aria-pressed={isPressed}
        data-talk-button=""
        data-state={state}
      >
        <Icon size={20} aria-hidden="true" />
        <span className={bar.title}>
          {selected.length === 0
            ? t('board.none')
            : state === 'talking'
              ? t('board.onAir', { count: onAir })
              : state === 'asking' || state === 'queued'
                ? t('talk.asking')
                : t('board.all', { count: selected.length })}
        </span>
      </button>
      <p className={styles.hint}>{t('board.key', { key: keyName(t, talkKey) })}</p>
    </section>
  );
}

function faceOf(state: TalkState['state']) {
  return state === 'unheard' ? 'idle' : state;
}

interface BoundTargets {
  targets: LatchedTalk;
  /** React ref callback of the button that talks to all. */
  bindButton(element: HTMLElement | null): (() => void) | undefined;
}

/** Returns the rooms that the talk key and the last button talk to while the page is shown. */
function useTalkTargets(enteredRooms: BoardRooms, selected: readonly EnteredRoom[]): BoundTargets | undefined {
  // A list, because the React Compiler keeps the result of `values()` between renders, and an iterator is used up by
  // then.
  const [first] = [...enteredRooms.values()];
  const pageTalk = first?.room.pageTalk;
  useEffect(() => pageTalk?.talkTo(selected.map(({ room }) => room)), [pageTalk, selected]);
  useEffect(() => {
    pageTalk?.setKey({ isOnItsPage: true });
    return () => {
      pageTalk?.setKey({ isOnItsPage: false });
      pageTalk?.talkTo(null);
    };
  }, [pageTalk]);
  return useMemo(
    () =>
      pageTalk && {
        targets: pageTalk,
        bindButton: (element) => bindWholeButton(pageTalk, element),
      },
    [pageTalk],
  );
}
