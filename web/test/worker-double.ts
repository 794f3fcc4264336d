import { vi } from 'vitest';

/** Replaces Worker by a fake that answers each message; `script` is the file that the worker was opened with. */
export function stubWorkers(answer: (script: string, message: unknown) => Promise<unknown>): void {
  class WorkerDouble extends EventTarget {
    readonly script: string;
    isTerminated = false;

    constructor(script: URL) {
      super();
      this.script = script.pathname.split('/').at(-1) ?? '';
    }
    async postMessage(message: unknown): Promise<void> {
      const data = await answer(this.script, message);
      if (!this.isTerminated) this.dispatchEvent(new MessageEvent('message', { data }));
    }
    terminate(): void {
      this.isTerminated = true;
    }
  }
  vi.stubGlobal('Worker', WorkerDouble);
}
