import { EventEmitter } from 'node:events';
import type { UserId } from '@pressel/contract/ids';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createConnectionRegistry } from './connections.ts';
import { guardConnections } from './flood-guard.ts';

describe('connections that say nothing', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('[PRES2] a connection has 10 s to say whose it is', () => {
    const engine = new EventEmitter();
    const registry = createConnectionRegistry(() => Date.now());
    const log = { warn: vi.fn() };
    guardConnections({ engine } as never, { registry, addressOf: () => 'a', log: log as never, now: () => Date.now() });
    const [silent, known] = [0, 1].map(() => Object.assign(new EventEmitter(), { close: vi.fn(), transport: {} }));
    for (const connection of [silent, known]) engine.emit('connection', connection);
    registry.admit(known ?? {}, 'ana' as UserId);
    vi.advanceTimersByTime(9_999);
    expect(silent?.close).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(silent?.close).toHaveBeenCalledWith(true);
    vi.advanceTimersByTime(60_000);
    expect(known?.close).not.toHaveBeenCalled();
  });
});

const ANA = 'ana' as UserId;
const BO = 'bo' as UserId;

describe('limits of connections', () => {
  const start = () => {
    const clock = { now: 0 };
    return { clock, registry: createConnectionRegistry(() => clock.now) };
  };
  /** Opens connections until the first refusal. @returns those opened */
  const openMany = (registry: ReturnType<typeof start>['registry'], address: string): object[] => {
    const connections: object[] = [];
    while (registry.mayOpen(address)) {
      const connection = {};
      registry.opened(connection, address);
      connections.push(connection);
    }
    return connections;
  };

  test('[PRES3] at most 512 unauthenticated connections per address, 4,096 in all', () => {
    const { registry } = start();
    const [first] = [openMany(registry, 'a0')];
    expect(first).toHaveLength(512);
    for (let index = 1; index < 8; index += 1) expect(openMany(registry, `a${index}`)).toHaveLength(512);
    expect(registry.mayOpen('a9')).toBe(false);
    for (const connection of first.slice(0, 3)) registry.closed(connection);
    expect(openMany(registry, 'a9')).toHaveLength(3);
  });

  test('[PRES3] an address opens a thousand at once and a hundred a second', () => {
    const { registry, clock } = start();
    let opened = 0;
    const openAndClose = () => {
      while (registry.mayOpen('a')) {
        opened += 1;
        const connection = {};
        registry.opened(connection, 'a');
        registry.closed(connection);
      }
    };
    openAndClose();
    expect(opened).toBe(1_000);
    expect(registry.mayOpen('b')).toBe(true);
    clock.now += 1_000;
    openAndClose();
    expect(opened).toBe(1_100);
  });

  /** Opens, authenticates and closes connections until the first refusal. @returns how many were opened */
  const comeAndGo = (
    registry: ReturnType<typeof start>['registry'],
    address: string,
    userId: UserId,
    most = 10_000,
  ): number => {
    let opened = 0;
    while (opened < most && registry.mayOpen(address)) {
      opened += 1;
      const connection = {};
      registry.opened(connection, address);
      registry.admit(connection, userId);
      registry.closed(connection);
    }
    return opened;
  };

  test('[PRES45] a whole company behind one address comes back at once, however often', () => {
    const { registry, clock } = start();
    for (let loss = 0; loss < 3; loss += 1) {
      clock.now += 1_000;
      for (let member = 0; member < 2_000; member += 1) {
        expect(comeAndGo(registry, 'office', `member ${member}` as UserId, 1)).toBe(1);
      }
    }
  });

  test('[PRES45] one session takes 32 openings, and one a second, beside those of its address', () => {
    const { registry, clock } = start();
    expect(comeAndGo(registry, 'a', ANA)).toBe(1_032);
    clock.now += 2_000;
    expect(comeAndGo(registry, 'a', ANA)).toBe(202);
  });

  test('[PRES45] the guests of a link share one allowance', () => {
    const { registry } = start();
    let opened = 0;
    while (registry.mayOpen('a')) {
      const connection = {};
      registry.opened(connection, 'a');
      registry.admit(connection, `guest ${opened}` as UserId, { sharer: 'link' });
      opened += 1;
      registry.closed(connection);
    }
    expect(opened).toBe(1_032);
  });

  test('[PRES45] who is not let in takes from the address', () => {
    const { registry } = start();
    let opened = 0;
    while (registry.mayOpen('a')) {
      const connection = {};
      registry.opened(connection, 'a');
      registry.admit(connection, ANA, { most: 0 });
      registry.closed(connection);
      opened += 1;
    }
    expect(opened).toBe(1_000);
  });

  test('[PRES45] an address may have as many unauthenticated connections as authenticated ones, up to 1,000', () => {
    const { registry, clock } = start();
    const members: object[] = [];
    const letIn = (count: number) => {
      while (members.length < count) {
        expect(registry.mayOpen('office')).toBe(true);
        const connection = {};
        registry.opened(connection, 'office');
        registry.admit(connection, `member ${members.length}` as UserId);
        members.push(connection);
      }
    };
    letIn(600);
    const waiting = openMany(registry, 'office');
    expect(waiting).toHaveLength(600);
    waiting.forEach(registry.closed);
    clock.now += 10_000;
    letIn(1_100);
    expect(openMany(registry, 'office')).toHaveLength(1_000);
    clock.now += 10_000;
    expect(registry.mayOpen('office')).toBe(false);
    members.forEach(registry.closed);
    expect(registry.mayOpen('office')).toBe(false);
  });

  test('[PRES4] a user has at most 32 connections, pending ones included; closing one frees a place', () => {
    const { registry } = start();
    const connections = openMany(registry, 'a');
    const admitted = connections.filter((connection) => registry.admit(connection, ANA));
    expect(admitted).toHaveLength(32);
    const [oldest = {}] = admitted;
    expect(registry.ownerOf(oldest)).toBe(ANA);
    const waiting = connections.filter((connection) => registry.ownerOf(connection) === null);
    expect(registry.admit(waiting[0] ?? {}, BO)).toBe(true);
    registry.closed(oldest);
    registry.closed(oldest);
    expect(waiting.slice(1).filter((connection) => registry.admit(connection, ANA))).toHaveLength(1);
  });

  test('[PRES4] a connection that closes during authentication is not counted', () => {
    const { registry } = start();
    const [gone = {}, ...others] = openMany(registry, 'a');
    registry.closed(gone);
    expect(registry.admit(gone, ANA)).toBe(false);
    expect(others.filter((connection) => registry.admit(connection, ANA))).toHaveLength(32);
  });

  test('idle addresses are forgotten and have their full burst again', () => {
    const { registry, clock } = start();
    for (let index = 0; index < 1_000; index += 1) openMany(registry, `a${index}`).forEach(registry.closed);
    clock.now += 10_000;
    expect(openMany(registry, 'another')).toHaveLength(512);
    expect(openMany(registry, 'a0')).toHaveLength(512);
  });
});
