import { changeUsers } from '@pressel/contract/users';
import type { Person, TestApp } from './build-test-app.ts';
import type { TestSocket } from './socket-client.ts';

export const PARIS = { lat: 48.85, lng: 2.35 };

const setMapRight = async (t: TestApp, admin: Person, people: readonly Person[], mapRight: boolean): Promise<void> => {
  const userIds = people.map(({ id }) => id);
  await t.call(changeUsers, { userIds, change: { type: 'setMapRight', mapRight } }, admin.token);
};

export const giveMapRight = (t: TestApp, admin: Person, people: readonly Person[]) =>
  setMapRight(t, admin, people, true);
export const takeMapRight = (t: TestApp, admin: Person, people: readonly Person[]) =>
  setMapRight(t, admin, people, false);

/** A socket for which the server knows whether it may receive positions. @throws Error when that is not as expected */
export async function mapSocket(t: TestApp, person: Person, seesMap = true): Promise<TestSocket> {
  const socket = await t.connect(person.token);
  const { mapRight } = await socket.next('map_right');
  if (mapRight !== seesMap) throw new Error(`The right to the map is ${mapRight}`);
  return socket;
}
