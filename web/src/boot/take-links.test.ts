import { GUEST_FRAGMENT } from '@pressel/contract/guests';
import { expect, test } from 'vitest';
import { takeCallLink, takeGuestLink, tokenIn } from './take-links.ts';

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

function take(address: string) {
  const { pathname, search, hash } = new URL(address, 'https://pressel.example');
  let left = `${pathname}${search}${hash}`;
  const history = {
    replaceState: (_data: unknown, _title: string, next?: string | URL | null) => {
      left = String(next);
    },
  };
  return { token: takeGuestLink({ location: { pathname, search, hash }, history }), left };
}

test('[GUEST3] the token is taken out of the address, and what stays says what the page was', () => {
  expect(take(`/join/Nord#${GUEST_FRAGMENT}aB-_9`)).toEqual({ token: 'aB-_9', left: '/join/Nord#guest' });
  expect(take('/Join/Nord?x=1#guest=abc')).toEqual({ token: 'abc', left: '/Join/Nord?x=1#guest' });
  expect(take('/join/Nord#guest')).toEqual({ token: '', left: '/join/Nord#guest' });
});

test.each(['/join/Nord', '/join/Nord#other', '/join/Nord#guests=abc', '/profile#guest=abc'])(
  '%s is no guest link',
  (address) => {
    expect(take(address)).toEqual({ token: undefined, left: address });
  },
);
