import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { ChannelMember } from '@pressel/contract/users';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, waitFor } from '@testing-library/react';
import { expect } from 'vitest';
import { MembersPanel } from '#src/features/members/members-panel.tsx';
import { compareMembers, type MembersView } from '#src/features/members/members-part.ts';
import { SideMembers } from '#src/features/members/side-members.tsx';
import type { Language } from '#src/shared/languages.ts';
import { folded } from '#src/shared/lists/folded.ts';
import type { LinkState } from '#src/shared/realtime/realtime.ts';
import { RealtimeProvider, ServicesProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage } from '#src/shared/storage.ts';
import { AnnouncerProvider } from '#src/shared/ui/announcer.tsx';
import { createApiDouble } from './api-double.ts';
import { person } from './fake-room-session.ts';
import { NO_RENEWAL } from './no-renewal.ts';
import { createRealtimeDouble } from './realtime-double.ts';
import { sampleId } from './samples.ts';
import { WithVoiceWords } from './with-voice-words.tsx';

export const NORD = sampleId(100) as ChannelId;

export function memberOf(number: number, name: string, change: Partial<ChannelMember> = {}): ChannelMember {
  return {
    id: person(number).userId as UserId,
    firstName: name,
    lastName: '',
    pseudo: '',
    display_name: name,
    photo_url: null,
    role: 'member',
    user_sockets: [],
    ...change,
  };
}

export const inOrder = (members: readonly ChannelMember[]) =>
  [...members].sort(compareMembers({ channelId: NORD, isDescending: false }));
export const MEMBERS = inOrder([memberOf(3, 'Zoé'), memberOf(1, 'Élodie Martin'), memberOf(2, 'bob')]);
export const CROWD = Array.from({ length: 5_000 }, (_, index) => memberOf(index + 1, `Membre ${index + 1}`));
export const VIEW = { filter: '', isDescending: false };

interface Shown extends Partial<Parameters<typeof MembersPanel>[0]> {
  members?: readonly ChannelMember[];
  isSide?: boolean;
  language?: Language;
}

/** Shows members of a server, in the room's panel or in the sidebar. */
export async function showMembers({ members = MEMBERS, isSide = false, language = 'fr', ...props }: Shown) {
  const api = createApiDouble();
  const realtime = createRealtimeDouble();
  let stored = members;
  let answersAfter: Promise<unknown> = Promise.resolve();
  api.on(getUsersInChannel, async ({ start = 0, limit = 9_999, userIds, filter = '', order }) => {
    const rows = stored
      .filter(({ firstName }) => folded(firstName).includes(folded(filter)))
      .toSorted(compareMembers({ channelId: NORD, isDescending: order === 'desc' }));
    const res = userIds ? rows.filter(({ id }) => userIds.includes(id)) : rows.slice(start, start + limit);
    await answersAfter;
    return { success: true, res, totalRecords: rows.length };
  });
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const views: MembersView[] = [];
  const panel = (
    <MembersPanel
      channelId={NORD}
      participants={[]}
      isLive
      view={VIEW}
      onView={(view) => void views.push(view)}
      onLocate={undefined}
      acts={() => null}
      guestTag={null}
      {...props}
    />
  );
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const view = (
    <WithVoiceWords language={language}>
      <QueryClientProvider client={queries}>
        <ServicesProvider services={{ api, storage, session: createSession({ api, storage }), renewal: NO_RENEWAL }}>
          <RealtimeProvider realtime={realtime}>
            <AnnouncerProvider>
              {isSide ? <SideMembers channelId={NORD} onLocate={undefined} acts={() => null} /> : panel}
            </AnnouncerProvider>
          </RealtimeProvider>
        </ServicesProvider>
      </QueryClientProvider>
    </WithVoiceWords>
  );
  const shown = render(view);
  await waitFor(() => expect(api.inputs(getUsersInChannel)).toHaveLength(1));
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  await act(async () => undefined);
  return {
    ...{ api, views, shown, queries },
    inputs: () => api.inputs(getUsersInChannel),
    become: (now: readonly ChannelMember[]) => {
      stored = now;
    },
    setLink: (link: LinkState) => act(() => realtime.setLink(link)),
    tell: (news: ServerPayload<'changed'>) => act(() => realtime.tell('changed', news)),
    /** Changes where somebody is, for the server and for the viewer. */
    tellStatus: ({ id }: ChannelMember, ...rooms: (ChannelId | null)[]) => {
      const user_sockets = rooms.map((channelId) => ({ userId: id, channelId, socket_id: person(1).id }));
      stored = stored.map((one) => (one.id === id ? { ...one, user_sockets } : one));
      const users = [{ userId: id, connected: rooms.length > 0, user_sockets }];
      act(() => realtime.tell('onUserStatusChanged', { channelId: NORD, rooms: [], users }));
    },
    holdAnswers: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      answersAfter = promise;
      return () => act(async () => resolve());
    },
  };
}
