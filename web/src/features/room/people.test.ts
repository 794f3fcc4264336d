import { expect, test } from 'vitest';
import { person } from '#test/fake-room-session.ts';
import { countPeople } from './people.ts';

test('[ROOM22] people are counted, not their tabs and devices; guests apart', () => {
  const guest = { name: 'Julie', link: 'Pompiers' };
  const twice = { ...person(2), id: person(7).id };
  expect(countPeople([person(1), person(2), twice, person(9, { guest })])).toEqual({ users: 2, guests: 1 });
  expect(countPeople([])).toEqual({ users: 0, guests: 0 });
});
