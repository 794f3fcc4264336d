/** A file that every server has, and that costs it nothing. */
const PATH = '/favicon.svg';

const ASK: RequestInit = { method: 'HEAD', cache: 'no-store', credentials: 'omit', redirect: 'manual' };

/**
 * Whether the server answers a small request. Never rejects. Also false if a proxy answers in the server's place,
 * perhaps with a 404. A proxy that asks for a sign-in, by a redirect that often leads to another origin, may let
 * sockets through.
 */
export async function reachServer(signal: AbortSignal): Promise<boolean> {
  try {
    const { ok, status, type } = await fetch(PATH, { ...ASK, signal });
    return ok || status === 401 || status === 403 || type === 'opaqueredirect';
  } catch {
    return false;
  }
}
