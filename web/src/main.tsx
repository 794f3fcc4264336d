import '#src/shared/ui/base-styles.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { hideCallLink } from './app/hide-call-link.ts';
import { createAppRouter } from './app/router.tsx';
import { trustOwnTypes } from './app/trusted-types.ts';
import { createApi } from './shared/api/api.ts';
import { createI18n } from './shared/i18n/i18n.ts';
import { createQueryClient } from './shared/query-client.ts';
import { createSession, type Session } from './shared/session.ts';
import { createStorage } from './shared/storage.ts';

trustOwnTypes(window);
hideCallLink(window);

const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
const api = createApi({
  fetch: (input, init) => window.fetch(input, init),
  readToken: storage.readToken,
  onUnauthenticated: (refused) => {
    // Ignores a late refusal of an older session's call.
    if (storage.readToken() === refused) session.end('expired');
  },
});
const session: Session = createSession({ api, storage });
const queries = createQueryClient();
const router = createAppRouter({ session });

const element = document.getElementById('root');
if (element) {
  const i18n = await createI18n(storage);
  createRoot(element).render(
    <StrictMode>
      <App services={{ api, session, storage }} queries={queries} i18n={i18n} router={router} />
    </StrictMode>,
  );
}
