import { readFile } from 'node:fs/promises';
import { readContract } from './contract.ts';
import { makeOpenApi } from './openapi.ts';
import { renderPage } from './page.ts';

export interface Reference {
  /** The page, HTML. */
  page: string;
  /** Its style sheet, which is in it: the page's policy names it by its hash. */
  style: string;
  /** The OpenAPI document, JSON. */
  openApi: string;
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
  return { page: renderPage({ openApi, contract, style, guide }), style, openApi: JSON.stringify(openApi) };
}
