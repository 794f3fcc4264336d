import { useMantineColorScheme } from '@mantine/core';
import type { User } from '@pressel/contract/users';
import {
  IconBroadcast,
  IconKeyboard,
  IconLanguage,
  IconLogin2,
  IconLogout,
  IconMoon,
  IconPhone,
  IconPlus,
  IconSun,
  IconSunMoon,
  IconUserPlus,
  IconVideo,
  IconVolume,
  IconVolumeOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useIsOnRoomPage } from '#src/features/room/current-room.tsx';
import type { EnteredRoom } from '#src/features/room/entered-rooms.ts';
import { useEnteredRooms } from '#src/features/room/entered-rooms-context.tsx';
import { isFinal } from '#src/features/voice/engine/types.ts';
import { useCalling } from '#src/shared/calling.tsx';
import { memberName } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { LANGUAGE_LABELS, LANGUAGES } from '#src/shared/languages.ts';
import { useUser } from '#src/shared/services.tsx';
import { useIsTouch } from '#src/shared/ui/use-is-narrow.ts';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { Verb } from './palette.rules.ts';

/** Something that the palette does. `value` is unique in the palette. */
export interface Command {
  value: string;
  label: string;
  /** Tells equal names apart. */
  more?: string;
  icon: TablerIcon;
  run: () => void;
}

export interface CommandsOptions {
  /** Puts a verb into the field; the user types its object. */
  onVerb: (verb: Verb) => void;
  /** Shows the keys. */
  onKeys: () => void;
}

const SCHEMES = [
  { scheme: 'auto', icon: IconSunMoon },
  { scheme: 'light', icon: IconSun },
  { scheme: 'dark', icon: IconMoon },
] as const;

/** Returns all commands that are available now, the room's first. */
export function useCommands({ onVerb, onKeys }: CommandsOptions): Command[] {
  const { t } = useTranslation('keyPanels');
  const { t: app } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  const navigate = useNavigate();
  const isAdmin = useUser().role === 'admin';
  const canCall = useCalling()?.isBusy === false && isAdmin;
  const { current, choose } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const ofRoom = useRoomCommands();
  const isTouch = useIsTouch();
  const add = (to: '/usersList' | '/channelsList', label: string, icon: TablerIcon): Command => ({
    value: `add ${to}`,
    label,
    icon,
    run: () => void navigate({ to, search: { panel: 'create' } }),
  });
  return [
    ...ofRoom,
    { value: 'enter', label: t('command.enterSome'), icon: IconLogin2, run: () => onVerb('enter') },
    ...(canCall
      ? [{ value: 'call', label: t('command.callSome'), icon: IconPhone, run: () => onVerb('call') } satisfies Command]
      : []),
    ...(isAdmin
      ? [add('/usersList', app('nav.addUser'), IconUserPlus), add('/channelsList', app('nav.addChannel'), IconPlus)]
      : []),
    ...LANGUAGES.filter((one) => one !== current).map((one) => ({
      value: `language ${one}`,
      label: t('command.language', { language: LANGUAGE_LABELS[one].name }),
      icon: IconLanguage,
      run: () => choose(one),
    })),
    ...SCHEMES.filter(({ scheme }) => scheme !== colorScheme).map(({ scheme, icon }) => ({
      value: `scheme ${scheme}`,
      label: t('command.scheme', { scheme: shared(`scheme.${scheme}`) }),
      icon,
      run: () => setColorScheme(scheme),
    })),
    ...(isTouch ? [] : [{ value: 'keys', label: t('shortcuts.title'), icon: IconKeyboard, run: onKeys }]),
  ];
}

/** Returns commands that call other users; none while nobody can be called. */
export function useCallCommands(users: readonly User[]): Command[] {
  const { t } = useTranslation('keyPanels');
  const calling = useCalling();
  const self = useUser();
  if (calling === null || calling.isBusy) return [];
  return users
    .filter(({ id }) => id !== self.id)
    .map((user) => ({
      value: `call ${user.id}`,
      label: t('command.call', { name: memberName(user) }),
      more: user.identifier,
      icon: IconPhone,
      run: () => calling.start({ id: user.id, name: user.display_name }),
    }));
}

/** Returns the commands for the current room. */
function useRoomCommands(): Command[] {
  const { t } = useTranslation('keyPanels');
  const navigate = useNavigate();
  const enteredRooms = useEnteredRooms();
  const enteredRoom = useSnapshot(enteredRooms);
  const isOnItsPage = useIsOnRoomPage();
  // Not subscribed: the palette opens over it for a moment.
  const room = enteredRoom && roomOf(enteredRoom);
  if (room === undefined) return [];
  const { name, roomId, hasVideo, isSoundOff, setSoundOff } = room;
  return [
    ...(isOnItsPage
      ? []
      : [
          {
            value: 'return',
            label: t('command.return', { name }),
            icon: IconBroadcast,
            run: () => void navigate({ to: '/groupCallView/$roomId', params: { roomId } }),
          },
        ]),
    ...(hasVideo
      ? []
      : [
          {
            value: 'video',
            label: t('command.video', { name }),
            icon: IconVideo,
            run: () => void navigate({ to: '/join/$roomId', params: { roomId } }),
          },
        ]),
    {
      value: 'sound',
      label: t(isSoundOff ? 'command.soundOn' : 'command.soundOff', { name }),
      icon: isSoundOff ? IconVolume : IconVolumeOff,
      run: () => setSoundOff(!isSoundOff),
    },
    {
      value: 'leave',
      label: t('command.leave', { name }),
      icon: IconLogout,
      run() {
        enteredRooms.leave();
        if (isOnItsPage) void navigate({ to: '/channelsList' });
      },
    },
  ];
}

function roomOf({ room, actions }: EnteredRoom) {
  const { channel, status, isSoundOff } = room.getSnapshot();
  if (channel === null || isFinal(status)) return undefined;
  return {
    name: channel.name,
    roomId: channel.rtcSession,
    hasVideo: room.video !== null,
    isSoundOff,
    setSoundOff: actions.setSoundOff,
  };
}
