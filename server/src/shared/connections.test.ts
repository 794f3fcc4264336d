import type { UserId } from '@pressel/contract/ids';
import { describe, expect, test } from 'vitest';
import { createConnectionBook } from './connections.ts';

const ANA = 'ana' as UserId;
const BO = 'bo' as UserId;

describe('limits of connections', () => {
  const start = () => {
    const clock = { now: 0 };
    return { clock, book: createConnectionBook(() => clock.now) };
  };
  /** Opens connections until the first refusal. @returns those opened */
  const openMany = (book: ReturnType<typeof start>['book'], address: string): object[] => {
    const connections: object[] = [];
    while (book.mayOpen(address)) {
      const connection = {};
      book.opened(connection, address);
      connections.push(connection);
    }
    return connections;
  };

  test('[PRES3] at most 256 unauthenticated connections per address, 2,048 in all', () => {
    const { book } = start();
    const [first] = [openMany(book, 'a0')];
    expect(first).toHaveLength(256);
    for (let index = 1; index < 8; index += 1) expect(openMany(book, `a${index}`)).toHaveLength(256);
    expect(book.mayOpen('a9')).toBe(false);
    for (const connection of first.slice(0, 3)) book.closed(connection);
    expect(openMany(book, 'a9')).toHaveLength(3);
  });

  test('[PRES3] an address opens a thousand at once and a hundred a second', () => {
    const { book, clock } = start();
    let opened = 0;
    const openAndClose = () => {
      while (book.mayOpen('a')) {
        opened += 1;
        const connection = {};
        book.opened(connection, 'a');
        book.closed(connection);
      }
    };
    openAndClose();
    expect(opened).toBe(1_000);
    expect(book.mayOpen('b')).toBe(true);
    clock.now += 1_000;
    openAndClose();
    expect(opened).toBe(1_100);
  });

  /** Opens, authenticates and closes connections until the first refusal. @returns how many were opened */
  const comeAndGo = (
    book: ReturnType<typeof start>['book'],
    address: string,
    userId: UserId,
    most = 10_000,
  ): number => {
    let opened = 0;
    while (opened < most && book.mayOpen(address)) {
      opened += 1;
      const connection = {};
      book.opened(connection, address);
      book.admit(connection, userId);
      book.closed(connection);
    }
    return opened;
  };

  test('[PRES45] a whole company behind one address comes back at once, however often', () => {
    const { book, clock } = start();
    for (let loss = 0; loss < 3; loss += 1) {
      clock.now += 1_000;
      for (let member = 0; member < 2_000; member += 1) {
        expect(comeAndGo(book, 'office', `member ${member}` as UserId, 1)).toBe(1);
      }
    }
  });

  test('[PRES45] one session takes 32 openings, and one a second, beside those of its address', () => {
    const { book, clock } = start();
    expect(comeAndGo(book, 'a', ANA)).toBe(1_032);
    clock.now += 2_000;
    expect(comeAndGo(book, 'a', ANA)).toBe(202);
  });

  test('[PRES45] the guests of a link share one allowance', () => {
    const { book } = start();
    let opened = 0;
    while (book.mayOpen('a')) {
      const connection = {};
      book.opened(connection, 'a');
      book.admit(connection, `guest ${opened}` as UserId, { sharer: 'link' });
      opened += 1;
      book.closed(connection);
    }
    expect(opened).toBe(1_032);
  });

  test('[PRES45] who is not let in takes from the address', () => {
    const { book } = start();
    let opened = 0;
    while (book.mayOpen('a')) {
      const connection = {};
      book.opened(connection, 'a');
      book.admit(connection, ANA, { most: 0 });
      book.closed(connection);
      opened += 1;
    }
    expect(opened).toBe(1_000);
  });

  test('[PRES45] an address may have as many unauthenticated connections as authenticated ones, up to 1,000', () => {
    const { book, clock } = start();
    const members: object[] = [];
    const letIn = (count: number) => {
      while (members.length < count) {
        expect(book.mayOpen('office')).toBe(true);
        const connection = {};
        book.opened(connection, 'office');
        book.admit(connection, `member ${members.length}` as UserId);
        members.push(connection);
      }
    };
    letIn(300);
    const waiting = openMany(book, 'office');
    expect(waiting).toHaveLength(300);
    waiting.forEach(book.closed);
    clock.now += 10_000;
    letIn(1_100);
    expect(openMany(book, 'office')).toHaveLength(1_000);
    clock.now += 10_000;
    expect(book.mayOpen('office')).toBe(false);
    members.forEach(book.closed);
    expect(book.mayOpen('office')).toBe(false);
  });

  test('[PRES4] a user has at most 32 connections, pending ones included; closing one frees a place', () => {
    const { book } = start();
    const connections = openMany(book, 'a');
    const admitted = connections.filter((connection) => book.admit(connection, ANA));
    expect(admitted).toHaveLength(32);
    const [oldest = {}] = admitted;
    expect(book.ownerOf(oldest)).toBe(ANA);
    const waiting = connections.filter((connection) => book.ownerOf(connection) === null);
    expect(book.admit(waiting[0] ?? {}, BO)).toBe(true);
    book.closed(oldest);
    book.closed(oldest);
    expect(waiting.slice(1).filter((connection) => book.admit(connection, ANA))).toHaveLength(1);
  });

  test('[PRES4] a connection that closes during authentication is not counted', () => {
    const { book } = start();
    const [gone = {}, ...others] = openMany(book, 'a');
    book.closed(gone);
    expect(book.admit(gone, ANA)).toBe(false);
    expect(others.filter((connection) => book.admit(connection, ANA))).toHaveLength(32);
  });

  test('idle addresses are forgotten and have their full burst again', () => {
    const { book, clock } = start();
    for (let index = 0; index < 1_000; index += 1) openMany(book, `a${index}`).forEach(book.closed);
    clock.now += 10_000;
    expect(openMany(book, 'another')).toHaveLength(256);
    expect(openMany(book, 'a0')).toHaveLength(256);
  });
});
