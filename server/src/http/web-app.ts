import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { failureBody } from '#src/shared/app-error.ts';

/** Paths of the API: an unknown one answers with an error instead of index.html. */
const API = /^\/(?:user|device|docs|files|healthz|readyz|socket\.io)(?:\/|$|\?)/;

/** Files that browsers ask for by name: if one is missing from the build, the page must not be served for it. */
const NAMED_FILE = /^\/(?:sw\.js|manifest\.webmanifest|favicon\.svg|icons\/)/;

/** A script in the page itself: the import map, and the script that watches the start. */
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([^<]+)<\/script>/g;

/** The policy's hashes of scripts in the built page itself: only these inline scripts run. */
function inlineScriptHashes(webDir: string | null): string[] {
  const page = webDir === null ? '' : join(webDir, 'index.html');
  if (!existsSync(page)) return [];
  const scripts = [...readFileSync(page, 'utf8').matchAll(INLINE_SCRIPT)].map(([, text = '']) => text);
  return scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
}

/** The name of the built web app, as its page states it; null without one. */
export function builtName(webDir: string | null): string | null {
  const page = webDir === null ? '' : join(webDir, 'index.html');
  if (!existsSync(page)) return null;
  return /<meta name="build" content="([^"]+)">/u.exec(readFileSync(page, 'utf8'))?.[1] ?? null;
}

export interface PageOptions {
  /** Whether browsers must only use https from now on. */
  keepsHttps: boolean;
  /** The built web app; null: none is served. */
  webDir: string | null;
  /** Other origins of the map's parts. */
  mapOrigins: readonly string[];
}

/** Security headers of every answer: scripts of this origin only, no framing or referrer, microphone for our pages. */
export async function secureHeaders(
  app: FastifyInstance,
  { keepsHttps, webDir, mapOrigins }: PageOptions,
): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...inlineScriptHashes(webDir)],
        // Mantine sets style attributes and inserts a style element at run time.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:', ...mapOrigins],
        mediaSrc: ["'self'", 'blob:', 'mediastream:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", ...mapOrigins],
        workerSrc: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        // Texts become code only through web/src/app/trusted-types.ts.
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ['default'],
        // The console must also work over plain http in a closed network.
        upgradeInsecureRequests: null,
      },
    },
    // HSTS for a year. Without subdomains, because other services may run there.
    strictTransportSecurity: keepsHttps ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    referrerPolicy: { policy: 'no-referrer' },
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('permissions-policy', 'microphone=(self), camera=(self), geolocation=(self)');
  });
}

/** Whether an address is a page of this origin, however a browser reads it. */
const isPageAddress = (url: string): boolean =>
  /^\/(?![/\\])/u.test(url) && !API.test(url) && !url.startsWith('/assets/') && !NAMED_FILE.test(url);

/**
 * Answers an address that can't be decoded, such as a call link that was cut within an escape. A page is redirected to the
 * address with literal percent signs: it says what is wrong, and removes a token from the address.
 */
export function answerUnreadable({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = '', ...query] = url.split('?');
  const readable = [path.replaceAll('%', '%25'), ...query].join('?');
  if (method !== 'GET' || !isPageAddress(url) || readable === url)
    return reply.code(400).send(failureBody('malformed'));
  return reply.header('cache-control', 'no-store').redirect(readable);
}

/** The types of built files that another build may have. */
const ASSET_TYPES: Readonly<Record<string, string>> = {
  js: 'application/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
  tiles: 'application/octet-stream',
};
const KEPT_FOR_A_YEAR = 'public, max-age=31536000, immutable';

/** The files of the built web app that have their hash in their name, without compressed copies. */
async function namesOfAssets(webDir: string): Promise<ReadonlySet<string>> {
  const folder = join(webDir, 'assets');
  const names = existsSync(folder) ? await readdir(folder) : [];
  return new Set(names.filter((name) => !/\.(?:br|gz)$/u.test(name)));
}

/**
 * Serves the built web app: its files, and index.html for any other page path.
 * @param findElsewhere asks for a built file of another build [PROC93]; null: there is no other process
 */
export async function serveWebApp(
  app: FastifyInstance,
  webDir: string | null,
  contract: string,
  findElsewhere: ((name: string) => Promise<Buffer | null>) | null = null,
): Promise<void> {
  const isBuilt = webDir !== null && existsSync(webDir);
  if (isBuilt) {
    await app.register(fastifyStatic, {
      root: webDir,
      wildcard: false,
      cacheControl: false,
      preCompressed: true,
      // Copies are sent in place of their files. Addresses of their own would triple the time that this takes.
      globIgnore: ['**/*.{br,gz}', 'assets/**'],
      setHeaders(response, path) {
        const isHashed = path.includes('/assets/');
        response.header('cache-control', isHashed ? KEPT_FOR_A_YEAR : 'no-cache');
      },
    });
    // A route for each of six hundred files would take a tenth of the time of a start.
    const assets = await namesOfAssets(webDir);
    app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) => {
      const { name } = request.params;
      return assets.has(name) ? reply.sendFile(`assets/${name}`) : reply.callNotFound();
    });
  }
  app.setNotFoundHandler(async (request, reply) => {
    if (request.method === 'GET' && isPageAddress(request.url) && isBuilt)
      return reply.header('cache-control', 'no-cache').sendFile('index.html');
    const [, name = '', ending = ''] = /^\/assets\/([^/?]+\.(\w+))(?:\?|$)/u.exec(request.url) ?? [];
    const type = ASSET_TYPES[ending];
    const found = request.method === 'GET' && type !== undefined ? await findElsewhere?.(name) : null;
    if (found != null && type !== undefined)
      return reply.type(type).header('cache-control', KEPT_FOR_A_YEAR).send(found);
    return reply.code(404).send(failureBody('not_found', { contract }));
  });
}
