import { sendMessage } from '@pressel/contract/chat';
import { updateUserPosition } from '@pressel/contract/positions';
import { type Api, createApi, type Person } from '@pressel/e2e/harness/api';

/** How much a console has to show. */
export const AMOUNTS = ['none', 'little', 'much'] as const;
export type Amount = (typeof AMOUNTS)[number];

/** The data that a tour needs, and the people who are in the room while it is seen. */
export interface Team {
  admin: Person;
  /** The mark by which everything is found. */
  mark: string;
  /** With members; null where nothing is yet. `isMuch`: names are as long as any. */
  shown: { channel: string; rtcSession: string; outsider: Person; others: readonly Person[]; isMuch: boolean } | null;
}

const MARK = 'Loire';
const own = (name: string) => `${name} ${MARK}`;
const MUCH = { people: 60, channels: 30, messages: 40, inRoom: 9 } as const;
const FIRST_NAMES = ['Maximilienne-Alexandrine', 'Jean-Christophe', 'Zoé', 'Anne-Élisabeth-Geneviève', 'Ö'] as const;
const PLACES = [
  'Surveillance des levées, des écluses et des ponts entre Briare et Ancenis',
  'Hébergement',
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
] as const;
const LINES = [
  'Bien reçu.',
  'L’eau monte toujours au pied de la levée : vingt centimètres depuis ce matin. Nous restons sur place jusqu’à la relève, avec les deux pompes et le groupe.',
  'https://example.org/a/very/long/address/without/any/place/to/break/it/0123456789012345678901234567890123456789',
] as const;

export async function fill(origin: string, amount: Amount): Promise<Team> {
  const api = createApi(origin, own);
  const admin = await api.person('Camille');
  if (amount === 'none') return { admin, mark: '', shown: null };
  const lea = await api.person('Léa', admin.token);
  const outsider = await api.person('Nour', admin.token);
  const crowd = amount === 'much' ? await fillMore(api, admin) : [];
  const { name: channel, rtcSession, id } = await api.channel(admin, 'Amont', [lea, ...crowd]);
  const people = [lea, ...crowd];
  for (const [index, { token }] of people.entries()) {
    await api.call(updateUserPosition, { lat: 48.85 + (index % 7) / 50, lng: 2.35 + index / 90 }, token);
  }
  for (let index = 0; index < (amount === 'much' ? MUCH.messages : 2); index += 1) {
    const { token } = people[index % people.length] ?? admin;
    await api.call(sendMessage, { channelId: id, message: LINES[index % LINES.length] ?? '' }, token);
  }
  // The tour opens the newest entry of the log, so that one must be about something that was made.
  await api.channel(admin, 'Aval', [lea]);
  const others = people.slice(0, MUCH.inRoom);
  return { admin, mark: MARK, shown: { channel, rtcSession, outsider, others, isMuch: amount === 'much' } };
}

/** People and channels with names as long as any, and as short. */
async function fillMore(api: Api, admin: Person): Promise<Person[]> {
  const people: Person[] = [];
  for (let index = 0; index < MUCH.people; index += 1) {
    people.push(await api.person(`${FIRST_NAMES[index % FIRST_NAMES.length]} ${index}`, admin.token));
  }
  for (let index = 0; index < MUCH.channels; index += 1) {
    await api.channel(admin, `${PLACES[index % PLACES.length]} ${index}`, people.slice(0, index));
  }
  return people;
}
