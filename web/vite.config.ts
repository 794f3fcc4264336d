import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const api = process.env.API_ORIGIN ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [react({ compiler: true })],
  server: {
    proxy: { '/user': api, '/device': api, '/healthz': api, '/socket.io': { target: api, ws: true } },
  },
  build: { target: 'es2023', manifest: true, chunkSizeWarningLimit: 800 },
});
