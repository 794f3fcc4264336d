import { describe, expect, test } from 'vitest';
import { boundaryOf, type Form, readForm } from './multipart.ts';

/** A form as it is sent. Each part: its headers, then its content. */
const wire = (...parts: (readonly [headers: string, content: string])[]): Buffer =>
  Buffer.from(`${parts.map(([headers, content]) => `--x\r\n${headers}\r\n\r\n${content}\r\n`).join('')}--x--\r\n`);
const named = (parameters: string, content = 'v') =>
  [`Content-Disposition: form-data; ${parameters}`, content] as const;
const shown = (form: Form | null) =>
  form === null
    ? null
    : {
        ...form.fields,
        ...Object.fromEntries([...form.files].map(([key, { name, bytes }]) => [key, [name, String(bytes)]])),
      };
const read = (body: Buffer) => shown(readForm(body, 'x'));

describe('forms', () => {
  test('as browsers and others send them', async () => {
    const form = new FormData();
    form.append('text', 'Été\r\n--x\r\n');
    form.append('empty', '');
    form.append('image', new Blob(['a\r\n\r\nb']), 'L’été "à\nParis".jpg');
    const response = new Response(form);
    const boundary = boundaryOf(String(response.headers.get('content-type')));
    const body = Buffer.from(await response.arrayBuffer());
    expect(shown(readForm(body, String(boundary)))).toEqual({
      text: 'Été\r\n--x\r\n',
      empty: '',
      image: ['L’été "à\nParis".jpg', 'a\r\n\r\nb'],
    });
    expect(
      read(wire(['content-disposition:form-data;name=a ; filename="a\\"b.jpg"\r\nContent-Type: x/y', 'v'])),
    ).toEqual({
      a: ['a"b.jpg', 'v'],
    });
    expect(read(wire(named('filename="; name=x"; name="real"')))).toEqual({ real: ['; name=x', 'v'] });
    expect(read(wire(named('name="a"; filename="C:\\x\\"')))).toEqual({ a: ['C:\\x\\', 'v'] });
    expect(read(wire(named('name="a"; filename=""', '')))).toEqual({ a: ['', ''] });
    expect(read(wire())).toEqual({});
  });

  test('a field of any name is a field', () => {
    const form = readForm(wire(named('name="__proto__"'), named('name="constructor"')), 'x');
    expect(Object.keys(form?.fields ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(form?.fields)).toBe(Object.prototype);
  });

  test.each([
    ['nothing', ''],
    ['something before it', '\r\n--x--'],
    ['no end', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n--x\r\n'],
    ['half an end', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n--x-'],
    ['a part without headers', '--x\r\n\r\nv\r\n--x--'],
    ['a part without a name', String(wire(named('filename="x"')))],
    ['a part of another kind', String(wire(['Content-Disposition: attachment; name="a"', 'v']))],
    ['a field twice', String(wire(named('name="a"'), named('name="a"')))],
    ['a field and a file of one name', String(wire(named('name="a"'), named('name="a"; filename="x"')))],
    ['seventeen parts', String(wire(...Array.from({ length: 17 }, (_, index) => named(`name="${index}"`))))],
    ['long headers', String(wire(named(`name="${'a'.repeat(3_000)}"`)))],
  ])('with %s are malformed', (_what, body) => {
    expect(read(Buffer.from(body))).toBeNull();
  });

  test('texts are UTF-8', () => {
    const broken = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n'),
      Buffer.from([0xc3]),
      Buffer.from('\r\n--x--'),
    ]);
    expect(read(broken)).toBeNull();
  });

  // They take milliseconds; if time grew with the square of the length, it would exceed any test's limit.
  test('hostile ones take no longer than others', () => {
    const bodies = [
      '--x\r\n'.repeat(200_000),
      `--x\r\n${'a: b\r\n'.repeat(170_000)}`,
      `--x\r\n${'\r\n--'.repeat(250_000)}`,
    ];
    bodies.push(`--x\r\nContent-Disposition: form-data; name="a"${';a="\\"'.repeat(150_000)}`);
    bodies.push(`--x\r\nContent-Disposition: form-data;${' '.repeat(2_000)}\r\n\r\nv\r\n--x--`);
    for (const body of bodies) expect(read(Buffer.from(body))).toBeNull();
  });

  test.each([
    ['multipart/form-data; boundary=x', 'x'],
    ['Multipart/Form-Data; charset=utf-8; boundary="a b"', 'a b'],
    ['multipart/form-data', null],
    ['multipart/mixed; boundary=x', null],
    ['multipart/form-data; boundary=', null],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, null],
    [undefined, null],
  ])('the boundary of %s', (contentType, boundary) => {
    expect(boundaryOf(contentType)).toBe(boundary);
  });
});
