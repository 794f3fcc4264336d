import { userId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { sampleId } from '#test/samples.ts';
import { hereFirst, memberOrder } from './member-order.ts';

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
  const inOrder = hereFirst([...rows].sort(memberOrder()), ({ id }) => here.has(id));
  expect(inOrder.map(({ id }) => id)).toEqual([1, 3, 4, 5, 6, 2].map((number) => sampleId(number)));
});
