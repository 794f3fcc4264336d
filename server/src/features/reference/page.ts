import { TOKEN_HEADER } from '@pressel/contract/call';
import { ERRORS, type ErrorCode } from '@pressel/contract/errors';
import { STAND_INS } from '@pressel/contract/examples';
import { COMMON_EVENT_ERRORS } from '@pressel/contract/socket';
import type { Contract } from './contract.ts';
import { anchor, type Heading, type Html, html, inline, NOTHING, renderMarkdown } from './html.ts';
import type { JsonSchema } from './json-schemas.ts';
import { ACCESS, ANY_CALL, type EventItem, type OpenApi, type Operation } from './openapi.ts';
import { tableOf, typeId, typeOf } from './schema-tables.ts';

export interface PageParts {
  openApi: OpenApi;
  contract: Pick<Contract, 'limits'>;
  style: string;
  /** Markdown. */
  guide: string;
}

/** A part of the page, with its entry in the list of contents. */
interface Section {
  title: string;
  body: Html;
  entries: readonly { id: string; label: string }[];
}

const JSON_TYPE = 'application/json';

/** The page at /docs: what people wrote first, then every call, event, type, error and limit. Text without scripts. */
export function renderPage({ openApi, contract, style, guide }: PageParts): string {
  const written = renderMarkdown(guide);
  const sections = [
    ...callSections(openApi),
    eventSection('Events that a client sends', 'sends', openApi['x-events'].sent),
    eventSection('Events that the server sends', 'receives', openApi['x-events'].received),
    typeSection(openApi.components.schemas),
    errorSection(),
    limitSection(contract),
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pressel ${openApi.info.version}: API reference</title>
<style>${{ html: style }}</style>
</head>
<body>
<div class="frame">
<nav aria-label="Contents">
<p class="quiet">Pressel ${openApi.info.version}</p>
${guideContents(written.headings)}
${sections.map(contentsOf)}
<p><a href="/docs/openapi.json">openapi.json</a></p>
</nav>
<main>
${{ html: linkLimits(written.body.html, contract.limits) }}
${sections.map(({ title, body }) => html`<section aria-labelledby="${anchor(title)}"><h2 id="${anchor(title)}">${title}</h2>${body}</section>`)}
</main>
</div>
</body>
</html>
`.html;
}

/** Links limits that the guide names to their values. */
const linkLimits = (text: string, limits: Contract['limits']): string =>
  text.replace(/\b[A-Z]+(?:_[A-Z]+)+\b/gu, (name) =>
    limits.has(name) ? `<a href="#limit-${name}">${name}</a>` : name,
  );

const guideContents = (headings: readonly Heading[]): Html =>
  html`<details open><summary>Guide</summary><ul>${headings
    .filter(({ level }) => level === 2)
    .map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></details>`;

const contentsOf = ({ title, entries }: Section): Html =>
  html`<details><summary>${title}</summary><ul><li><a href="#${anchor(title)}">${title}</a></li>${entries.map(
    ({ id, label }) => html`<li><a href="#${id}">${label}</a></li>`,
  )}</ul></details>`;

function callSections({ tags, paths }: OpenApi): Section[] {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return tags.map(({ name }) => {
    const own = calls.filter(({ operation }) => operation.tags.includes(name));
    return {
      title: `Calls: ${name}`,
      body: html`${own.map(({ path, method, operation }) => callBody(method, path, operation))}`,
      entries: own.map(({ operation }) => ({ id: `call-${operation.operationId}`, label: operation.operationId })),
    };
  });
}

function callBody(method: string, path: string, operation: Operation): Html {
  const [[type, media] = [undefined, undefined]] = Object.entries(operation.requestBody?.content ?? {});
  const reply = operation.responses['200']?.content ?? {};
  return html`<article aria-labelledby="call-${operation.operationId}">
<h3 id="call-${operation.operationId}"><code>${method} ${path}</code></h3>
<p>${inline(operation.summary)}</p>
<p class="facts"><strong>Who may:</strong> ${ACCESS[operation['x-access']]}. <strong>Body:</strong> ${bodyWords(type, operation['x-max-bytes'])}. <strong>Cost:</strong> ${operation['x-cost']}.</p>
${media === undefined ? NOTHING : html`<h4>Payload</h4>${fieldsOf(media.schema)}${exampleOf(`${method} ${path}`, operation, type, media.example)}`}
<h4>Response</h4>
${reply[JSON_TYPE] === undefined ? html`<p>A stream of ${Object.keys(reply).join(' or ')}.</p>` : fieldsOf(reply[JSON_TYPE].schema)}
<h4>Errors</h4>
${errorLinks(operation['x-errors'], ANY_CALL)}
${operation['x-errors-note'] === undefined ? NOTHING : html`<p>${inline(operation['x-errors-note'])}</p>`}
</article>`;
}

const bodyWords = (type: string | undefined, maxBytes: number): string =>
  type === undefined ? 'none' : `${type}, up to ${maxBytes.toLocaleString('en')} bytes`;

function exampleOf(line: string, { security }: Operation, type: string | undefined, example: unknown): Html {
  const body =
    type === JSON_TYPE
      ? JSON.stringify(example, null, 2)
      : Object.entries(example as object)
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n');
  const token = 'guest' in (security[0] ?? {}) ? 'the guestToken' : STAND_INS.token;
  const head = [line, `content-type: ${type}`, ...(security.length === 0 ? [] : [`${TOKEN_HEADER}: ${token}`])];
  return html`<h4>Example</h4><pre tabindex="0"><code>${head.join('\n')}\n\n${body}</code></pre>`;
}

const fieldsOf = (schema: JsonSchema): Html => {
  const table = tableOf(schema);
  if (table !== NOTHING) return table;
  return schema.properties === undefined ? html`<p>${typeOf(schema)}</p>` : html`<p>Nothing: <code>{}</code>.</p>`;
};

/** The error codes of its own; one table has those of every call. */
function errorLinks(codes: readonly ErrorCode[], common: readonly ErrorCode[]): Html {
  const own = codes.filter((code) => !common.includes(code));
  return html`<p class="codes">${own.map((code) => html`<a href="#error-${code}">${code}</a> `)}<a href="#errors">${
    own.length === 0 ? 'the common ones' : 'and the common ones'
  }</a></p>`;
}

function eventSection(title: string, verb: string, events: Readonly<Record<string, EventItem>>): Section {
  const idOf = (name: string) => `${verb}-${anchor(name)}`;
  const bodies = Object.entries(events).map(
    ([
      name,
      { description, forGuests, payload, ack, errors, example },
    ]) => html`<article aria-labelledby="${idOf(name)}">
<h3 id="${idOf(name)}"><code>${name}</code></h3>
<p>${inline(description)}</p>
<p class="facts">${forGuests ? 'For guests too.' : 'Not for guests.'}</p>
<h4>Payload</h4>${fieldsOf(payload)}
${example === undefined ? NOTHING : html`<h4>Example</h4><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`}
${ack === undefined ? NOTHING : html`<h4>Acknowledgement: <code>{ ok: true, data }</code>, where <code>data</code> has</h4>${fieldsOf(ack)}`}
${errors === undefined ? NOTHING : html`<h4>Errors: <code>{ ok: false, code, params }</code></h4>${errorLinks(errors, COMMON_EVENT_ERRORS)}`}
</article>`,
  );
  return {
    title,
    body: html`${bodies}`,
    entries: Object.keys(events).map((name) => ({ id: idOf(name), label: name })),
  };
}

function typeSection(schemas: Readonly<Record<string, JsonSchema>>): Section {
  const names = Object.keys(schemas);
  const bodies = Object.entries(schemas).map(([name, schema]) => {
    const table = tableOf(schema);
    return html`<article aria-labelledby="${typeId(name)}">
<h3 id="${typeId(name)}">${name}</h3>
${schema.description === undefined ? NOTHING : html`<p>${inline(schema.description)}</p>`}
${table === NOTHING ? html`<p>${typeOf(schema)}</p>` : table}
</article>`;
  });
  return { title: 'Types', body: html`${bodies}`, entries: names.map((name) => ({ id: typeId(name), label: name })) };
}

function errorSection(): Section {
  const rows = Object.entries(ERRORS).map(([name, { status, text }]) => {
    const code = name as ErrorCode;
    const anything = [
      ...(ANY_CALL.includes(code) ? ['any call'] : []),
      ...(COMMON_EVENT_ERRORS.includes(code) ? ['any event'] : []),
    ];
    const words = anything.length === 0 ? '' : ` Can be the answer to ${anything.join(' and ')}.`;
    return html`<tr><td id="error-${code}"><code>${code}</code></td><td>${status}</td><td>${text}${words}</td></tr>`;
  });
  return {
    title: 'Errors',
    body: html`<table><thead><tr><th>code</th><th>status of a call</th><th>what it means</th></tr></thead><tbody>${rows}</tbody></table>`,
    entries: [],
  };
}

function limitSection({ limits }: PageParts['contract']): Section {
  const rows = [...limits].map(
    ([name, { value, text }]) =>
      html`<tr><td id="limit-${name}"><code>${name}</code></td><td>${Array.isArray(value) ? value.join(', ') : String(value)}</td><td>${inline(text)}</td></tr>`,
  );
  return {
    title: 'Limits',
    body: html`<table><thead><tr><th>name</th><th>value</th><th>what it limits</th></tr></thead><tbody>${rows}</tbody></table>`,
    entries: [],
  };
}
