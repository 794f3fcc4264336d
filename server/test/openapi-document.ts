import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { LightMyRequestResponse } from 'fastify';
import type { OpenApi } from '#src/features/reference/openapi.ts';

/** The path of a schema in the document, step by step. */
type Place = readonly string[];

const pointer = (place: Place): string =>
  place.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Checks values against a document's schemas. The function returns the faults of a value; empty when there are none. */
export function documentChecker(document: OpenApi): (place: Place, value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi.json');
  return (place, value) => {
    const validate = ajv.getSchema(`openapi.json#${pointer(place)}`);
    if (validate === undefined) throw new Error(`There is no schema at ${place.join(' / ')}`);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
  };
}

/** Checks a server's answers against its document. The function returns the faults of an answer; empty when there are none. */
export function answerChecker(document: OpenApi) {
  const check = documentChecker(document);
  return ({ method, path }: { method: string; path: string }, response: LightMyRequestResponse): string[] => {
    const status = String(response.statusCode);
    const type = String(response.headers['content-type']).split(';')[0] ?? '';
    const place = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema'];
    const { content } = document.paths[path]?.[method.toLowerCase()]?.responses[status] ?? {};
    if (content?.[type] === undefined) return [`${method} ${path} is never answered ${status} with ${type}`];
    return type === 'application/json' ? check(place, response.json()) : [];
  };
}
