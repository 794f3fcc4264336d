import type { Role } from '@pressel/contract/credentials';

/** Users who share a channel may call each other; administrators may call, and be called by, everybody (RING1). */
export const mayCall = (caller: Role | 'guest', callee: { role: Role; sharesChannel: boolean }): boolean =>
  callee.sharesChannel || caller === 'admin' || callee.role === 'admin';
