import { userId } from '@pressel/contract/ids';
import { NAMES_IN_ORDER } from '@pressel/contract/names-in-order';
import { expect, test, vi } from 'vitest';
import { sampleId } from '#test/samples.ts';
import { inRoomFirst, memberOrder } from './member-order.ts';

const member = (number: number, firstName: string, lastName = '') => ({
  id: userId.parse(sampleId(number)),
  firstName,
  lastName,
  pseudo: '',
});

test('[ROOM6] who is here comes first, each part by first and last name, whatever the order of the rows', () => {
  const rows = [
    member(4, 'Foule 74'),
    member(1, 'Foule 2'),
    member(6, 'Émile', 'Roux'),
    member(3, 'Foule 10'),
    member(5, 'Émile', 'Abel'),
    member(2, 'Foule 2'),
  ];
  const here = new Set([4, 3, 1].map((number) => sampleId(number)));
  const inOrder = inRoomFirst([...rows].sort(memberOrder()), ({ id }) => here.has(id));
  expect(inOrder.map(({ id }) => id)).toEqual([1, 3, 4, 5, 6, 2].map((number) => sampleId(number)));
});

test.each(['en', 'de', 'sv', 'lt'])(
  '[MEM2] names are in the order of the server, also where the browser is in another language (%s)',
  (language) => {
    const { Collator } = Intl;
    // Without a language, or with an unknown one, a browser uses its own language.
    vi.spyOn(Intl, 'Collator').mockImplementation(function collator(
      given?: Intl.LocalesArgument,
      options?: Intl.CollatorOptions,
    ) {
      const [known] = Collator.supportedLocalesOf(given ?? []);
      return new Collator(known ?? language, options);
    } as never);
    const rows = NAMES_IN_ORDER.map(([firstName, lastName, pseudo], index) => ({
      // Against the order, so that none of the order comes from the ids.
      ...{ id: userId.parse(sampleId(1_000 - index)), firstName, lastName, pseudo },
    }));
    const namesOf = (sorted: typeof rows) =>
      sorted.map(({ firstName, lastName, pseudo }) => [firstName, lastName, pseudo]);
    expect(namesOf(rows.toReversed().sort(memberOrder()))).toEqual(NAMES_IN_ORDER);
  },
);
