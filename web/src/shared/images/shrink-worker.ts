import { canvasTools, prepareImage, workerSurface } from './shrink.ts';

/** Worker that takes one file and answers with a Preparation. */
self.addEventListener('message', (event: MessageEvent<Blob>) => {
  void prepareImage(event.data, canvasTools(workerSurface)).then((preparation) => self.postMessage(preparation));
});
