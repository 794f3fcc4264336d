import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core';
import { z } from '@pressel/contract/zod';
import type { AppStorage } from '../storage.ts';

const colorScheme = z.enum(['auto', 'light', 'dark']);

/** Stores the colour scheme (light, dark, system) in the app's storage. */
export function createColorSchemeManager(
  storage: Pick<AppStorage, 'readPreference' | 'writePreference'>,
): MantineColorSchemeManager {
  return {
    get: (otherwise: MantineColorScheme) => storage.readPreference('colorScheme', colorScheme) ?? otherwise,
    set: (value) => storage.writePreference('colorScheme', value),
    subscribe: () => {},
    unsubscribe: () => {},
    clear: () => storage.writePreference('colorScheme', 'auto'),
  };
}
