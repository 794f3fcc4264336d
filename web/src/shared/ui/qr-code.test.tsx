import { render, screen } from '@testing-library/react';
import { decodeQR } from 'qr/decode.js';
import { expect, test } from 'vitest';
import { QrCode } from './qr-code.tsx';

/** Returns a camera's view of the drawn code: a picture with four pixels for each module. */
function photograph(code: HTMLElement): { width: number; height: number; data: Uint8Array } {
  const [, , size = 0] = (code.getAttribute('viewBox') ?? '').split(' ').map(Number);
  const scale = 4;
  const width = size * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  const path = code.querySelector('path')?.getAttribute('d') ?? '';
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)/gu)) {
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++) {
      const start = row * width + Number(x) * scale;
      for (let at = start; at < start + Number(length) * scale; at++) data.fill(0, at * 4, at * 4 + 3);
    }
  }
  return { width, height: width, data };
}

test.each(['https://192.168.178.23:3000', 'https://pressel.example.org/login?login=%C3%A9lise%40example.org'])(
  'a reader finds %s in the drawn code',
  (address) => {
    render(<QrCode text={address} label="Adresse" />);
    expect(decodeQR(photograph(screen.getByRole('img', { name: 'Adresse' })))).toBe(address);
  },
);
