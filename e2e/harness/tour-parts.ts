import type { Page } from '@playwright/test';
import { sendMessage } from '@pressel/contract/chat';
import { updateUserPosition } from '@pressel/contract/positions';
import type { World } from '../fixtures.ts';
import type { Channel, Person } from './api.ts';
import type { TourGuide } from './tour.ts';
import { type Caller, tourTheCalls } from './tour-calls.ts';
import { tourAsGuest, tourTheLinks, tourTheWithdrawal } from './tour-guests.ts';
import { tourTheMap, tourTheMessages, tourTheSwitcher } from './tour-room.ts';

/** The text of the message in a furnished room. */
export const MESSAGE = 'Bien reçu';

/** A channel of two, one of whom has a position and wrote a message. */
export interface FurnishedRoom {
  channelId: Channel['id'];
  rtcSession: string;
  channel: string;
  known: Person;
  unknown: Person;
}

export async function furnishRoom({ api, admin }: Pick<World, 'api' | 'admin'>): Promise<FurnishedRoom> {
  const known = await api.person('Lea', admin.token);
  const unknown = await api.person('Max', admin.token);
  const { id: channelId, rtcSession, name: channel } = await api.channel(admin, 'Nord', [known, unknown]);
  await api.call(updateUserPosition, { lat: 48.85, lng: 2.35 }, known.token);
  await api.call(sendMessage, { channelId, message: MESSAGE }, known.token);
  return { channelId, rtcSession, channel, known, unknown };
}

/** Everything that opens in a furnished room that the page is in already. */
export async function tourWhatOpensThere(page: Page, guide: TourGuide, room: FurnishedRoom): Promise<void> {
  await tourTheSwitcher(page, guide);
  await tourTheMessages(page, guide, MESSAGE);
  await tourTheMap(page, guide, room);
}

/** Calls between two people, the first of whom is in a room, and a guest's view of that room and of its end. */
export async function tourCallsAndGuests(
  desk: Caller,
  radio: Caller,
  guide: TourGuide,
  openGuest: (link: string) => Promise<Page>,
): Promise<void> {
  await tourTheCalls(desk, radio, guide);
  const link = await tourTheLinks(desk.page, guide);
  const guest = await openGuest(`${link}x`);
  await tourAsGuest(guest, guide, link);
  await tourTheWithdrawal(desk.page, guest, guide);
}
