import type { ChannelId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import { createListeners } from '#src/shared/listeners.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';

/**
 * The ways in which a message calls its reader. `mention`: a message that names the reader calls, whatever the other
 * choices say.
 */
export const ALERTS = ['tone', 'notice', 'count', 'mention'] as const;
export type Alert = (typeof ALERTS)[number];

/** Alerts that are turned off, by channel. All others are on. */
const choices = z.record(z.string().max(64), z.array(z.enum(ALERTS)).max(ALERTS.length));
type Choices = z.infer<typeof choices>;
const NONE: Choices = {};

/**
 * Maximum number of channels whose choices are kept; beyond that, the oldest choices are dropped and their alerts are
 * on again.
 */
const CHANNELS_MAX = 500;

/** Alert choices of a user in this browser [CHATS57]. */
export interface AlertChoices extends SnapshotSource<Choices> {
  isOn(channelId: ChannelId, alert: Alert): boolean;
  set(channelId: ChannelId, alert: Alert, isOn: boolean): void;
}

export function createAlertChoices(storage: Pick<AppStorage, 'readPreference' | 'writePreference'>): AlertChoices {
  const listeners = createListeners();
  // Read anew each time: another tab may have changed it.
  const read = (): Choices => storage.readPreference('alerts', choices) ?? NONE;
  let snapshot = read();
  return {
    getSnapshot: () => snapshot,
    subscribe: listeners.add,
    isOn: (channelId, alert) => read()[channelId]?.includes(alert) !== true,
    set(channelId, alert, isOn) {
      const { [channelId]: before = [], ...others } = read();
      const off = before.filter((one) => one !== alert);
      if (!isOn) off.push(alert);
      const all = Object.entries(off.length === 0 ? others : { ...others, [channelId]: off });
      snapshot = Object.fromEntries(all.slice(-CHANNELS_MAX));
      storage.writePreference('alerts', snapshot);
      listeners.notify();
    },
  };
}
