import { z } from '@pressel/contract/zod';

/** What stands beside the talk of a room. Apart from its rules, because the router needs the names alone. */
export const panel = z.enum(['messages', 'talks', 'members', 'map']);
export type Panel = z.infer<typeof panel>;
/** What the column at the end shows, one at a time. */
export type SidePanel = Exclude<Panel, 'map'>;
