import { createGuestLink, enterAsGuest, type GuestLink } from '@pressel/contract/guests';
import type { ChannelId } from '@pressel/contract/ids';
import type { EventAnswer } from '@pressel/contract/realtime';
import type { Person, TestApp } from './build-test-app.ts';
import { join } from './factories.ts';
import type { TestSocket } from './socket-client.ts';

export interface MadeLink extends GuestLink {
  token: string;
}

/** Makes a guest link, as the dialog does. */
export async function makeLink(
  t: TestApp,
  admin: Person,
  channelId: ChannelId,
  name = 'Pompiers de Lyon',
  hours: 1 | 8 | 24 | 168 | 720 = 8,
): Promise<MadeLink> {
  const { body } = await t.call(createGuestLink, { channelId, name, hours }, admin.token);
  return { ...body.res, token: body.path.split('#guest=')[1] ?? '' };
}

/** Returns the token of a guest who enters by a link. @throws Error when refused */
export async function visit(t: TestApp, { token }: Pick<MadeLink, 'token'>, name = 'Julie'): Promise<string> {
  const { status, body } = await t.call(enterAsGuest, { token, name });
  if (status !== 200) throw new Error(`enterAsGuest: ${body.code}`);
  return body.res.guestToken;
}

/** Uses a link and enters its room. */
export async function enterByLink(
  t: TestApp,
  link: Pick<MadeLink, 'token'>,
  room: string,
  name = 'Julie',
): Promise<TestSocket & { state: EventAnswer<'join_room'>; token: string }> {
  const token = await visit(t, link, name);
  const socket = await t.connect(token);
  return { ...socket, token, state: await join(socket, room) };
}
