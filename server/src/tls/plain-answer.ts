import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isOwnHost } from '#src/addresses/hosts.ts';

/** The words of the page that prepares for a browser's warning. */
interface WarningWords {
  language: 'fr' | 'en' | 'de';
  title: string;
  why: string;
  how: string;
  /** The choice to make in each browser, as HTML. */
  steps: string[];
  go: string;
  check: string;
}

const FRENCH: WarningWords = {
  language: 'fr',
  title: 'Votre navigateur va vous avertir',
  why: 'Le micro ne fonctionne que sur une page chiffrée. Ce serveur Pressel a créé lui-même le certificat qu’il faut pour cela. Comme personne d’autre ne s’en porte garant, votre navigateur affiche un avertissement à la première visite. La liaison est chiffrée quand même.',
  how: 'Si vous connaissez ce serveur, passez outre cet avertissement\u00a0:',
  steps: [
    '<b>Chrome, Edge</b>\u00a0: «\u202fParamètres avancés\u202f» ou «\u202fAvancé\u202f», puis «\u202fContinuer vers …\u202f»',
    '<b>Firefox</b>\u00a0: «\u202fAvancé…\u202f», puis «\u202fAccepter le risque et poursuivre\u202f»',
    '<b>Safari</b>\u00a0: «\u202fAfficher les détails\u202f», puis «\u202fvisiter ce site web\u202f»',
  ],
  go: 'Continuer vers Pressel',
  check:
    'Pour en être sûr, comparez l’empreinte SHA-256 du certificat que montre votre navigateur avec celle que le serveur a affichée à son démarrage.',
};

const ENGLISH: WarningWords = {
  language: 'en',
  title: 'Your browser is going to warn you',
  why: 'A microphone works only on an encrypted page. This Pressel server made the certificate for that itself. Because nobody else vouches for it, your browser shows a warning on the first visit. The connection is encrypted all the same.',
  how: 'If you know this server, go past the warning:',
  steps: [
    '<b>Chrome, Edge</b>: “Advanced”, then “Proceed to …” or “Continue to …”',
    '<b>Firefox</b>: “Advanced…”, then “Accept the Risk and Continue”',
    '<b>Safari</b>: “Show Details”, then “visit this website”',
  ],
  go: 'Continue to Pressel',
  check:
    'To be certain, compare the SHA-256 fingerprint of the certificate in your browser with the one that the server printed when it started.',
};

const GERMAN: WarningWords = {
  language: 'de',
  title: 'Ihr Browser wird Sie warnen',
  why: 'Ein Mikrofon funktioniert nur auf einer verschlüsselten Seite. Das Zertifikat dafür hat dieser Pressel-Server selbst erstellt. Weil niemand sonst dafür bürgt, zeigt Ihr Browser beim ersten Besuch eine Warnung. Die Verbindung ist trotzdem verschlüsselt.',
  how: 'Wenn Sie diesen Server kennen, übergehen Sie die Warnung:',
  steps: [
    '<b>Chrome, Edge</b>: „Erweitert“, dann „Weiter zu …“',
    '<b>Firefox</b>: „Erweitert …“, dann „Risiko akzeptieren und fortfahren“',
    '<b>Safari</b>: „Details einblenden“, dann „diese Website öffnen“',
  ],
  go: 'Weiter zu Pressel',
  check:
    'Um sicherzugehen, vergleichen Sie den SHA-256-Fingerabdruck des Zertifikats in Ihrem Browser mit dem, den der Server bei seinem Start ausgegeben hat.',
};

/**
 * The words in the first known language that the browser asks for, else in French. Unlike in the app, nobody can choose a
 * language here.
 */
function warningWordsFor(accepted: string | undefined): WarningWords {
  const wanted = (accepted ?? '').split(',').map((entry) => entry.trim().slice(0, 2).toLowerCase());
  const known = [FRENCH, ENGLISH, GERMAN];
  const found = wanted.map((one) => known.find(({ language }) => language === one));
  return found.find((words) => words !== undefined) ?? FRENCH;
}

export interface PlainAnswerOptions {
  publicUrl: string | null;
  /** Browsers warn about the certificate: visitors are told so beforehand. */
  isSelfSigned: boolean;
}

/**
 * Answers plain http on the https port. Usually it redirects. If browsers warn about the certificate, visitors first get a
 * page that prepares them for the warning and leads on [TLS5].
 */
export function createPlainAnswer({ publicUrl, isSelfSigned }: PlainAnswerOptions): RequestListener {
  return (request, response) => {
    response.setHeader('connection', 'close');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    // The rest of a refused request's body is discarded.
    request.resume();
    const address = secureAddress(request, publicUrl);
    if (address === null) return sendText(response, 400, 'This port speaks https: type https:// before the address.');
    const isPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
    if (isSelfSigned && isPage) return sendPage(response, address, warningWordsFor(request.headers['accept-language']));
    response.setHeader('location', address);
    return sendText(response, 308, `This port speaks https: ${address}`);
  };
}

/** The same address by https; null where the name in the request is not ours. */
function secureAddress(request: IncomingMessage, publicUrl: string | null): string | null {
  const { url = '/', headers } = request;
  const path = url.startsWith('/') ? url : '/';
  if (publicUrl !== null) return URL.canParse(publicUrl + path) ? new URL(publicUrl + path).href : null;
  const origin = `https://${headers.host}`;
  if (headers.host === undefined || !isOwnHost(request, null) || !URL.canParse(origin + path)) return null;
  return new URL(origin + path).href;
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}

function sendPage(response: ServerResponse, address: string, words: WarningWords): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-language': words.language,
    vary: 'accept-language',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'",
  });
  response.end(warningPage(address, words));
}

/** A separate page: the app itself is only served by https. Its colours and measures are the app's. */
const warningPage = (address: string, words: WarningWords): string => `<!doctype html>
<html lang="${words.language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Pressel: ${words.title}</title>
    <!-- Without it a browser asks for an icon at this address, which has none. -->
    <link rel="icon" href="data:,">
    <style>
      :root { --ground: #f3f5f7; --surface: #fff; --edge: #b6c0c9; --text: #161b20; --dim: #55606b; --info: #1d5fc4; --on: #fff; }
      @media (prefers-color-scheme: dark) {
        :root { --ground: #0d1013; --surface: #13171b; --edge: #434d57; --text: #e4e8eb; --dim: #98a3ae; --info: #6ea8ff; --on: #0d1013; }
      }
      body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
      main { box-sizing: border-box; width: min(520px, 100%); margin: 0 auto; padding: 6vh 16px 48px; }
      h1 { margin: 0 0 16px; font-size: 1.5rem; line-height: 1.2; letter-spacing: -0.015em; }
      p { margin: 0 0 16px; }
      ul { margin: 0 0 24px; padding: 12px 16px 12px 36px; border: 1px solid var(--edge); border-radius: 6px; background: var(--surface); }
      li + li { margin-top: 8px; }
      a { display: block; min-height: 44px; margin: 24px 0; border-radius: 6px; background: var(--info); color: var(--on); font-weight: 600; line-height: 44px; text-align: center; text-decoration: none; }
      a:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
      .dim { color: var(--dim); font-size: 0.875rem; }
    </style>
  </head>
  <body>
    <main>
      <h1>${words.title}</h1>
      <p>${words.why}</p>
      <p>${words.how}</p>
      <ul>${words.steps.map((step) => `<li>${step}</li>`).join('')}</ul>
      <a href="${escapeHtml(address)}">${words.go}</a>
      <p class="dim">${words.check}</p>
    </main>
  </body>
</html>
`;

const escapeHtml = (text: string): string => text.replace(/[&<>"]/gu, (character) => `&#${character.charCodeAt(0)};`);
