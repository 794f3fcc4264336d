import { type Html, html, inline, NOTHING } from './html.ts';
import { componentOf, type JsonSchema } from './json-schemas.ts';

export const typeId = (name: string): string => `type-${name}`;

/** A type in a few words; named ones lead to where they are described. */
export function typeOf(schema: JsonSchema): Html {
  const name = componentOf(schema);
  if (name !== undefined) return html`<a href="#${typeId(name)}">${name}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) return joined(schema.enum.map((one) => html`<code>${JSON.stringify(one)}</code>`));
  const options = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (options !== undefined) return joined(unique(options.map(typeOf)));
  if (schema.prefixItems !== undefined) return html`[${joined(schema.prefixItems.map(typeOf), ', ')}]`;
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}${lengthOf(schema, 'entries')}`;
  if (Array.isArray(schema.type)) return html`${schema.type.join(' | ')}${limitsOf(schema)}`;
  return html`${schema.format ?? schema.type ?? 'anything'}${limitsOf(schema)}`;
}

const unique = (parts: readonly Html[]): Html[] => [...new Map(parts.map((part) => [part.html, part])).values()];
const joined = (parts: readonly Html[], between = ' | '): Html => ({
  html: parts.map((part) => part.html).join(between),
});

function limitsOf(schema: JsonSchema): string {
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, from ${minimum}`;
  if (maximum !== undefined) return `, up to ${maximum}`;
  return lengthOf(schema, 'characters');
}

function lengthOf({ minLength, minItems, maxLength, maxItems }: JsonSchema, unit: string): string {
  const least = minLength ?? minItems ?? 0;
  const most = maxLength ?? maxItems;
  if (most !== undefined) return least > 0 ? `, ${least} to ${most} ${unit}` : `, up to ${most} ${unit}`;
  return least > 0 ? `, ${least} ${unit} at least` : '';
}

interface Row {
  /** The path of the field: `res[].id`. Empty for a line that says which of several shapes follows. */
  path: string;
  type: Html;
  note: string;
  text: string;
}

/** The fields of a schema as a table; nothing for one without fields. */
export function tableOf(schema: JsonSchema): Html {
  const rows = rowsOf(schema, '');
  if (rows.length === 0) return NOTHING;
  return html`<table><thead><tr><th>field</th><th>type</th><th>what it is</th></tr></thead><tbody>${rows.map(
    ({ path, type, note, text }) =>
      path === ''
        ? html`<tr><td colspan="3" class="quiet">${type}</td></tr>`
        : html`<tr><td><code>${path}</code>${note === '' ? NOTHING : html` <span class="quiet">${note}</span>`}</td><td>${type}</td><td>${inline(text)}</td></tr>`,
  )}</tbody></table>`;
}

function rowsOf(schema: JsonSchema, prefix: string): Row[] {
  if (schema.properties !== undefined) {
    const required = schema.required ?? [];
    return Object.entries(schema.properties).flatMap(([key, field]) => [
      {
        path: prefix + key,
        type: typeOf(field),
        note: noteOf(field, required.includes(key)),
        text: field.description ?? '',
      },
      ...rowsOf(field, `${prefix}${key}.`),
    ]);
  }
  if (schema.items !== undefined) return rowsOf(schema.items, `${prefix.replace(/\.$/u, '')}[].`);
  const options = (schema.oneOf ?? schema.anyOf ?? schema.allOf ?? []).filter(
    ({ properties }) => properties !== undefined,
  );
  if (options.length === 1) return rowsOf(options[0] ?? {}, prefix);
  return options.flatMap((option) => [
    { path: '', type: html`${where(prefix)}${conditionOf(option)}`, note: '', text: '' },
    ...rowsOf(option, prefix),
  ]);
}

const noteOf = (field: JsonSchema, isRequired: boolean): string => {
  if (field.default !== undefined) return `optional, ${JSON.stringify(field.default)} without it`;
  return isRequired ? '' : 'optional';
};
const where = (prefix: string): string => (prefix === '' ? '' : `${prefix.replace(/\.$/u, '')}: `);

/** Tells which of several shapes it is, by the fields that can have one value only. */
function conditionOf({ properties = {} }: JsonSchema): Html {
  const telling = Object.entries(properties).filter(
    ([, field]) => field.const !== undefined || field.enum !== undefined,
  );
  const words = telling.slice(0, 1).map(([key, field]) => html`if <code>${key}</code> is ${typeOf(field)}`);
  return words[0] ?? html`or`;
}
