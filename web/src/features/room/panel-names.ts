import { z } from '@pressel/contract/zod';

/** The panels beside a room's talk. Kept apart from their rules, because the router needs only the names. */
export const panel = z.enum(['messages', 'talks', 'members', 'map']);
export type Panel = z.infer<typeof panel>;
/** The panels that the column at the end shows, one at a time. */
export type SidePanel = Exclude<Panel, 'map'>;
