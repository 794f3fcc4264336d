import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps, type Server, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';

/** How long a visitor may take to show which protocol it speaks, and to finish its handshake. */
const GREETING_MS = 20_000;
/** Plain http and an issuer's check end after this time: neither has more than one short answer. */
const SHORT_VISIT_MS = 20_000;
/** First byte of every TLS connection: a record of the type handshake (RFC 8446 §5.1). */
const HANDSHAKE_RECORD = 0x16;
/** Such a record has its length in bytes 3 and 4, and is never longer than this. */
const RECORD_HEADER_BYTES = 5;
const RECORD_MAX_BYTES = 16_384 + RECORD_HEADER_BYTES;
/** The protocol by which an ACME server checks a name, as written in the greeting (RFC 8737 §6.2). */
const ACME_PROTOCOL = Buffer.from('\x0aacme-tls/1');

export interface OnePortOptions {
  http: ServerOptions;
  cert: string;
  key: string;
  /** Answers visitors who speak plain http to this port. */
  answerPlain: RequestListener;
  /** Handles connections by which an ACME server checks our name. */
  onAcmeCheck: (socket: Socket) => void;
}

/**
 * An https server that also answers plain http on the same port: the first byte of a connection tells them apart.
 * Without this, a visitor who types `http://` sees an empty page.
 */
export function createOnePort(
  handler: RequestListener,
  { http, cert, key, answerPlain, onAcmeCheck }: OnePortOptions,
): Server {
  const secure = createHttps({ ...http, cert, key, handshakeTimeout: GREETING_MS }, handler);
  const plain = createHttp({ requireHostHeader: false, keepAliveTimeout: 1, maxHeaderSize: 8_192 }, answerPlain);
  plain.on('clientError', (_error, socket) => socket.destroy());

  // Prepended: an answer to the error would wait for the handshake, and keep the connection.
  secure.prependListener('tlsClientError', (_error, socket) => socket.destroy());

  // The secure server itself listens, because only a listening server enforces its time limits. Its own connection
  // listener begins a handshake at once, so we call it when the greeting is a handshake.
  const beginHandshake = secure.listeners('connection') as ((socket: Socket) => void)[];
  secure.removeAllListeners('connection');
  const guests = trackGuests(secure);
  secure.on('connection', (socket: Socket) => {
    guests.add(socket);
    readGreeting(socket, (greeting) => {
      if (greeting === null) socket.destroy();
      else if (greeting[0] !== HANDSHAKE_RECORD) visitShortly(socket, () => plain.emit('connection', socket));
      else if (greeting.includes(ACME_PROTOCOL)) visitShortly(socket, () => onAcmeCheck(socket));
      else for (const begin of beginHandshake) begin.call(secure, socket);
    });
  });
  return secure;
}

/** Servers that don't listen themselves never end slow visitors, so this does. */
function visitShortly(socket: Socket, begin: () => void): void {
  const timer = setTimeout(() => socket.destroy(), SHORT_VISIT_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  begin();
}

/**
 * Tracks connections that the secure server doesn't count yet, or never will. They are ended with it: otherwise it would
 * wait for them when it closes.
 */
function trackGuests(secure: Server): { add(socket: Socket): void } {
  const guests = new Map<string, Socket>();
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  secure.on('secureConnection', (socket) => guests.delete(keyOf(socket)));
  const close = secure.close.bind(secure);
  secure.close = (done) => {
    const closing = close(done);
    for (const socket of guests.values()) socket.destroy();
    return closing;
  };
  return {
    add(socket) {
      const key = keyOf(socket);
      guests.set(key, socket);
      socket.once('close', () => guests.delete(key));
    },
  };
}

/**
 * Hands over the first bytes that a visitor sends, without consuming them: one byte of plain http, or the first record of
 * TLS. Null: the visitor sent nothing, or not all of it in time.
 */
function readGreeting(socket: Socket, done: (greeting: Buffer | null) => void): void {
  let greeting = Buffer.alloc(0);
  const end = (outcome: Buffer | null) => {
    clearTimeout(timer);
    socket.off('readable', read).off('end', fail).off('close', fail);
    done(outcome);
  };
  const fail = () => end(null);
  const read = () => {
    for (let bytes = socket.read(); bytes !== null; bytes = socket.read()) greeting = Buffer.concat([greeting, bytes]);
    if (!isComplete(greeting)) return;
    socket.unshift(greeting);
    end(greeting);
  };
  const timer = setTimeout(fail, GREETING_MS).unref();
  socket.on('readable', read).once('end', fail).once('close', fail);
  // 'close' follows and ends the waiting. A listener is needed: an unhandled error ends the process.
  socket.on('error', () => undefined);
}

function isComplete(greeting: Buffer): boolean {
  if (greeting.length === 0) return false;
  if (greeting[0] !== HANDSHAKE_RECORD || greeting.length >= RECORD_MAX_BYTES) return true;
  return greeting.length >= RECORD_HEADER_BYTES && greeting.length >= RECORD_HEADER_BYTES + greeting.readUInt16BE(3);
}
