import { EventEmitter } from 'node:events';
import type { UserId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createConnectionRegistry } from './connections.ts';
import { guardConnections } from './flood-guard.ts';

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
