import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server, asked under the page's own host name: it refuses other origins. */
const api = { target: process.env.API_ORIGIN ?? 'http://127.0.0.1:3000', changeOrigin: false };

export default defineConfig({
  plugins: [react({ compiler: true })],
  resolve: {
    alias: [{ find: /^fflate$/, replacement: join(import.meta.dirname, 'src/features/transfer/zip-synchronous.ts') }],
  },
  worker: { format: 'es' },
  // '/user/', not '/user': that would take /usersList too.
  server: {
    proxy: { '/user/': api, '/device/': api, '/healthz': api, '/socket.io': { ...api, ws: true } },
  },
  build: { target: 'es2023', manifest: true, chunkSizeWarningLimit: 800 },
});
