import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { readContract } from './contract.ts';
import { makeOpenApi } from './openapi.ts';
import { renderPage } from './page.ts';

/** A text as it is sent, encoded once: anybody may ask for it as often as they like. */
export interface Sendable {
  /** SHA-256, base64. */
  hash: string;
  bodies: { identity: Buffer; br: Buffer; gzip: Buffer };
}

export interface Reference {
  /** The page, HTML. */
  page: Sendable;
  /** SHA-256, base64, of the style sheet in the page, by which the page's policy names it. */
  styleHash: string;
  /** The OpenAPI document, JSON. */
  openApi: Sendable;
}

const STYLE = new URL('reference.css', import.meta.url);
/** The part that people wrote. */
const GUIDE = new URL('../../../../docs/api.md', import.meta.url);

export async function makeReference(version: string): Promise<Reference> {
  const [contract, style, guide] = await Promise.all([
    readContract(),
    readFile(STYLE, 'utf8'),
    readFile(GUIDE, 'utf8'),
  ]);
  const openApi = makeOpenApi(contract, version);
  return {
    page: await sendable(renderPage({ openApi, contract, style, guide })),
    styleHash: hashOf(style),
    openApi: await sendable(JSON.stringify(openApi)),
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

async function sendable(text: string): Promise<Sendable> {
  const identity = Buffer.from(text);
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
  return { hash: hashOf(text), bodies: { identity, br, gzip: gzipped } };
}
