import { expect, test } from 'vitest';
import { takeCallLink, tokenIn } from './take-call-link.ts';

const open = (pathname: string) => {
  const shown: string[] = [];
  const history = {
    replaceState: (_data: unknown, _title: string, path?: string | URL | null) => void shown.push(`${path}`),
  };
  return { link: takeCallLink({ location: { pathname }, history }), shown };
};

test('a call link is taken out of the address, whatever is in it', () => {
  const text = '{"token":"secret"}';
  const shown = ['/userCallView/'];
  expect(open(`/userCallView/${encodeURIComponent(text)}`)).toEqual({ link: text, shown });
  expect(open(`/USERCALLVIEW/${encodeURIComponent(text)}`)).toEqual({ link: text, shown });
  expect(open('/userCallView/%E0%A4%A')).toEqual({ link: '', shown });
  expect(open('/userCallView/')).toEqual({ link: undefined, shown: [] });
  expect(open('/join/Nord')).toEqual({ link: undefined, shown: [] });
});

test('its token is asked about at once, if there is one', () => {
  expect(tokenIn('{"token":"abc","x":1}')).toBe('abc');
  for (const text of ['', 'null', '[]', '"token"', '{"token":7}', '{']) expect(tokenIn(text)).toBeNull();
});
