import { DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { expect, test } from 'vitest';
import { theme } from './theme.ts';

type Variables = Record<string, string>;

/** Colours of Mantine that nothing here has. */
const OTHER_COLOUR = new RegExp(`^--mantine-color-(?:${Object.keys(DEFAULT_THEME.colors).join('|')})-`, 'u');

/** Leaves out what Mantine's own default-css-variables.css has already. */
const rule = (selector: string, variables: Variables, before: Variables): string => {
  const lines = Object.entries(variables)
    .filter(([name, value]) => before[name] !== value && !OTHER_COLOUR.test(name))
    .map(([name, value]) => `  ${name}: ${value};\n`);
  return `${selector} {\n${lines.join('')}}\n`;
};

test('theme-variables.css has all that the theme changes, so that no page computes it: vitest -u writes it', async () => {
  const defaults = defaultCssVariablesResolver(DEFAULT_THEME);
  const made = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  const schemes = (['dark', 'light'] as const).map((scheme) =>
    rule(`:root[data-mantine-color-scheme="${scheme}"]`, made[scheme], defaults[scheme]),
  );
  const rules = [rule(':root', made.variables, defaults.variables), ...schemes];
  await expect(rules.join('\n')).toMatchFileSnapshot('./theme-variables.css');
});
