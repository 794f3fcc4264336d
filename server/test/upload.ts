import { TOKEN_HEADER } from '@pressel/contract/call';
import { uploadFile } from '@pressel/contract/chat';
import type { Reply } from './build-test-app.ts';

/** Sends a form as a browser does. `parts`: in order; a file has a name. */
export async function postForm(
  origin: string,
  parts: readonly (readonly [name: string, value: string | Uint8Array, fileName?: string])[],
  token?: string,
): Promise<Reply<typeof uploadFile>> {
  const form = new FormData();
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), fileName);
  }
  const response = await fetch(`${origin}${uploadFile.path}`, {
    method: 'POST',
    headers: token === undefined ? {} : { [TOKEN_HEADER]: token },
    body: form,
  });
  return { status: response.status, body: (await response.json()) as Reply<typeof uploadFile>['body'] };
}
