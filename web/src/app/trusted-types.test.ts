import { expect, test } from 'vitest';
import { trustOwnTypes } from './trusted-types.ts';

type Rules = Record<'createHTML' | 'createScriptURL', (text: string) => string | null>;

function rulesOf(): Rules {
  const made: [name: string, rules: Rules][] = [];
  const trustedTypes = { createPolicy: (name: string, rules: Rules) => void made.push([name, rules]) };
  trustOwnTypes({ trustedTypes, location: { origin: 'https://pressel.example' } });
  const [policy, ...more] = made;
  if (policy === undefined || more.length > 0) throw new Error('There must be one policy');
  expect(policy[0]).toBe('default');
  return policy[1];
}

test('the styles of Mantine are let through as HTML', () => {
  const css = ':root{--mantine-scale: 1;} *, *::before, *::after {transition: none !important;}';
  expect(rulesOf().createHTML(css)).toBe(css);
});

test.each(['<img src=x onerror=alert(1)>', '</style><script>alert(1)</script>', 'a < b'])(
  '%s is refused as HTML',
  (html) => expect(rulesOf().createHTML(html)).toBeNull(),
);

test.each(['/assets/sheet-worker-1.js', 'https://pressel.example/assets/workbook-worker-2.js', '/sw.js'])(
  'the file %s may run',
  (address) => expect(rulesOf().createScriptURL(address)).toBe(address),
);

test.each([
  'https://elsewhere.example/assets/a.js',
  '//elsewhere.example/assets/a.js',
  '/files/photos/a',
  '/files/sw.js',
  'https://elsewhere.example/sw.js',
  '/assets/../files/a.js',
  'blob:https://pressel.example/assets/1',
  'data:text/javascript,alert(1)',
  'javascript:alert(1)',
  'https://',
])('%s may not run', (address) => expect(rulesOf().createScriptURL(address)).toBeNull());

test('a policy that an extension made first does not stop the page', () => {
  const trustedTypes = {
    createPolicy: () => {
      throw new TypeError('Policy with name "default" already exists.');
    },
  };
  expect(() => trustOwnTypes({ trustedTypes, location: { origin: 'https://pressel.example' } })).not.toThrow();
});

test('a browser without trusted types is left as it is', () => {
  expect(() => trustOwnTypes({ location: { origin: 'https://pressel.example' } })).not.toThrow();
});
