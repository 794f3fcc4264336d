import { runBrowserTests } from './e2e.ts';
import { findPython } from './python.ts';

/** Runs examples/python-client against a server and a browser, wherever there is Python. */
if ((await findPython('python-client', true)) === null) process.exitCode = 1;
else await runBrowserTests(['tests/python-client.spec.ts', '--workers=1']);
