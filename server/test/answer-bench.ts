/** Makes a separate process answer a bench (`bench/shared/host.ts`), one request after the other, until it is asked to close. */
export function answerBench<Request extends { ask: string }>(answer: (request: Request) => Promise<object>): void {
  process.on('message', (request: Request) => {
    answer(request).then(
      (reply) => {
        process.send?.(reply);
        if (request.ask === 'close') process.disconnect();
      },
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
        process.exit(1);
      },
    );
  });
}
