import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApi } from '#src/features/reference/openapi.ts';

/** Where a schema stands in the document, step by step. */
type Place = readonly string[];

const pointer = (place: Place): string =>
  place.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Checks values against the schemas of a document: what is wrong with one, empty when nothing is. */
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
