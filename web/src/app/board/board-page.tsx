import type { ChannelId } from '@pressel/contract/ids';
import { ROOMS_MAX } from '@pressel/contract/limits';
import { IconAntenna, IconMicrophone } from '@tabler/icons-react';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { isWithoutSound, talkFace } from '#src/features/voice/button/talk-face.ts';
import { bindWholeButton } from '#src/features/voice/engine/talk-button.ts';
import { isHeld, type LatchedTalk } from '#src/features/voice/engine/talk-holds.ts';
import type { RoomSnapshot, TalkState } from '#src/features/voice/engine/types.ts';
import { isFinal } from '#src/features/voice/final-status.ts';
import type { VoiceSettingsProps } from '#src/features/voice/settings/settings-popover.tsx';
import { VoiceSettings } from '#src/features/voice/settings/voice-settings.tsx';
import type { Stay } from '#src/features/voice/stays.ts';
import type { TalkKey } from '#src/features/voice/talk-key.ts';
import { keyName, useVoiceWords } from '#src/features/voice/talk-words.ts';
import { useRoomPart, useRoomsPart } from '#src/features/voice/use-room-part.ts';
import { RoomsAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { DeviceNotices, MissedNotice, NoticeStack } from '#src/features/voice/voice-notices.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { TickBox } from '#src/shared/ui/tick-box.tsx';
import { usePreferences } from '../room/use-stay.ts';
import bar from '../shell/stay-bar.module.css';
import { newsOf, TalkInLine } from '../shell/stay-bar.tsx';
import styles from './board.module.css';

/** The board's stays by channel id, in the order of the address. */
export type BoardStays = ReadonlyMap<ChannelId, Stay>;

/**
 * Shows several rooms at once: a row for each, and one talk button for all ticked ones [ROOM50]. `isCut`: the address
 * names more.
 */
export function BoardPage({ stays, isCut }: { stays: BoardStays; isCut: boolean }) {
  const t = useVoiceWords();
  const [left, setLeft] = useState<ReadonlySet<ChannelId>>(new Set());
  const open = useOpenRooms(stays);
  const selected = useMemo(
    () => [...stays].flatMap(([id, stay]) => (open.has(id) && !left.has(id) ? [stay] : [])),
    [stays, open, left],
  );
  const bound = useTalkTargets(stays, selected);
  const [preferences, setPreferences] = usePreferences();
  const rooms = useMemo(() => [...stays.values()].map(({ room }) => room), [stays]);
  // Any room that is still open knows the state of microphone and sound.
  const device = [...stays].find(([id]) => open.has(id))?.[1];
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
              onChange={(change) => setPreferences(change, [...stays.values()])}
              actions={actionsFor(device, stays)}
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
        {[...stays].map(([id, stay]) => (
          <Row
            key={id}
            id={id}
            stay={stay}
            isSelected={!left.has(id)}
            onSelect={(isSelected) =>
              setLeft(new Set([...stays.keys()].filter((one) => (one === id ? !isSelected : left.has(one)))))
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
function actionsFor({ actions }: Stay, stays: BoardStays): VoiceSettingsProps['actions'] {
  const { selectMicrophone, retryMicrophone, loudspeaker, probe } = actions;
  const stop = () => {
    for (const { room } of stays.values()) room.stop();
  };
  return { selectMicrophone, retryMicrophone, loudspeaker, probe, stop };
}

/** The ids of the rooms that the user may talk in: those that neither refused nor ended the stay. */
function useOpenRooms(stays: BoardStays): ReadonlySet<ChannelId> {
  const rooms = useMemo(() => [...stays.values()].map(({ room }) => room), [stays]);
  const ids = useRoomsPart(rooms, (snapshots) =>
    [...stays.keys()].filter((_, index) => !isFinal((snapshots[index] as RoomSnapshot).status)).join(),
  );
  return useMemo(() => new Set(ids.split(',') as ChannelId[]), [ids]);
}

interface RowProps {
  id: ChannelId;
  stay: Stay;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
}

function Row({ id, stay, isSelected, onSelect }: RowProps) {
  const t = useVoiceWords();
  const { room, actions } = stay;
  const isOver = useRoomPart(room, ({ status }) => isFinal(status));
  // The server doesn't name channels that it refuses, so only the id tells them apart.
  const unnamed = isOver ? t('board.unnamed', { id }) : t('room.unnamed');
  const name = useRoomPart(room, ({ channel }) => channel?.name) ?? unnamed;
  const face = useRoomPart(room, talkFace);
  const news = useRoomPart(room, (snapshot) => newsOf(t, snapshot));
  const people = useRoomPart(room, ({ participants }) => participants.length);
  return (
    <li
      className={`${bar.bar} ${styles.room}`}
      aria-label={name}
      data-room={name}
      data-people={people}
      data-face={face.kind}
      data-soundless={isWithoutSound(face) || undefined}
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
}: BoundTargets & { selected: readonly Stay[]; talkKey: TalkKey }) {
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
function useTalkTargets(stays: BoardStays, selected: readonly Stay[]): BoundTargets | undefined {
  // A list, because the React Compiler keeps the result of `values()` between renders, and an iterator is used up by
  // then.
  const [first] = [...stays.values()];
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
