import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorScheme,
  type MantineColorSchemeManager,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';
import { z } from '@pressel/contract/zod';
import type { AppStorage } from '#src/shared/storage.ts';

/** Ten shades, as Mantine requires. The primary colour is the text's, because colours are reserved for signals. */
const ink: MantineColorsTuple = [
  '#f3f5f7',
  '#e9edf0',
  '#d9dfe4',
  '#b6c0c9',
  '#8b96a1',
  '#68737e',
  '#55606b',
  '#39424a',
  '#262d34',
  '#161b20',
];

/** Buttons: filled = the page's main action, in the text's colour; `fault` = destructive. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const isFault = input.color === 'fault';
  switch (input.variant) {
    case 'filled':
      return {
        background: isFault ? 'var(--fault)' : 'var(--text)',
        hover: `color-mix(in srgb, ${isFault ? 'var(--fault)' : 'var(--text)'} 86%, var(--ground))`,
        color: 'var(--ground)',
        border: '1px solid transparent',
      };
    case 'default':
    case 'outline':
      return {
        background: 'var(--surface)',
        hover: 'var(--tint)',
        color: isFault ? 'var(--fault)' : 'var(--text)',
        border: '1px solid var(--hairline-strong)',
      };
    case 'subtle':
    case 'transparent':
      return {
        background: 'transparent',
        hover: 'var(--tint)',
        color: isFault ? 'var(--fault)' : 'var(--text)',
        border: '1px solid transparent',
      };
    default:
      return defaultVariantColorsResolver(input);
  }
};

const overDialog = {
  overlayProps: { backgroundOpacity: 0.5 },
  transitionProps: { duration: 140 },
  // Mantine renders the title bar as <header>, which screen readers would announce as a second page banner.
  attributes: { header: { role: 'none' } },
};

/**
 * The tokens of tokens.css as Mantine's theme: sizes, radius, type. theme.test.ts writes the variables that this changes to
 * theme-variables.css. Colours are set in tokens.css.
 */
export const theme = createTheme({
  fontFamily: 'var(--font)',
  fontSizes: {
    xs: 'var(--text-s)',
    sm: 'var(--text-m)',
    md: 'var(--text-m)',
    lg: 'var(--text-l)',
    xl: 'var(--text-xl)',
  },
  spacing: {
    xs: 'var(--space-1)',
    sm: 'var(--space-2)',
    md: 'var(--space-4)',
    lg: 'var(--space-6)',
    xl: 'var(--space-8)',
  },
  radius: { sm: '4px', md: 'var(--radius)', lg: 'var(--radius-l)' },
  defaultRadius: 'md',
  colors: { ink },
  primaryColor: 'ink',
  primaryShade: { light: 9, dark: 0 },
  focusRing: 'auto',
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver,
  components: {
    Modal: { defaultProps: overDialog },
    Drawer: { defaultProps: overDialog },
    // The focus placeholder is not an allowed child of role=menu (axe: aria-required-children).
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, transitionProps: { duration: 100 } } },
  },
});

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
