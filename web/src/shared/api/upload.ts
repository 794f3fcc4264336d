import { ApiError } from './api-error.ts';

/** An upload is given up after this long without progress; while it progresses it may take any time, ms. */
const STALL_MS = 20_000;
/** Time limit for the answer once everything was sent, ms: the server decodes the image. */
const ANSWER_MS = 30_000;

export interface Answer {
  status: number;
  text: string;
}

/** The part of XMLHttpRequest that is used here. */
export type UploadRequest = Pick<
  XMLHttpRequest,
  'open' | 'send' | 'abort' | 'setRequestHeader' | 'status' | 'responseText' | 'onload' | 'onerror' | 'onabort'
> & { upload: Pick<XMLHttpRequestUpload, 'onprogress' | 'onload'> };

export interface FormUpload {
  path: string;
  headers: Record<string, string>;
  form: FormData;
  signal?: AbortSignal;
  onProgress?: (share: number) => void;
}

/**
 * Sends a form and resolves with whatever was answered. Rejects with ApiError `unreachable` or `timeout`, or with the
 * signal's reason.
 */
export function sendForm(request: UploadRequest, upload: FormUpload): Promise<Answer> {
  const { signal, onProgress } = upload;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      settle();
    };
    const wait = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        end(() => reject(new ApiError('timeout')));
        request.abort();
      }, ms);
    };
    const cancel = (): void => {
      end(() => reject(signal?.reason));
      request.abort();
    };
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', cancel);
    request.upload.onprogress = (event) => {
      wait(STALL_MS);
      if (event.lengthComputable && event.total > 0) onProgress?.(event.loaded / event.total);
    };
    request.upload.onload = () => wait(ANSWER_MS);
    request.onload = () => end(() => resolve({ status: request.status, text: request.responseText }));
    // A second settling of the promise, after abort(), has no effect.
    request.onerror = () => end(() => reject(new ApiError('unreachable')));
    request.onabort = () => end(() => reject(new ApiError('unreachable')));
    request.open('POST', upload.path);
    request.setRequestHeader('accept', 'application/json');
    for (const [name, value] of Object.entries(upload.headers)) request.setRequestHeader(name, value);
    wait(STALL_MS);
    request.send(upload.form);
  });
}
