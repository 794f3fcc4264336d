import { z } from '@pressel/contract/zod';

/** What stands beside the talk of a room. Apart from its rules, because the router needs the names alone. */
export const panel = z.enum(['messages', 'members', 'map']);
export type Panel = z.infer<typeof panel>;
