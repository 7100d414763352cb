# syntax=docker/dockerfile:1

# One file, an image per service:   docker build --build-arg SERVICE=gateway -t parley/gateway .
# The service:                      docker run parley/gateway
# Its database brought up to date:  docker run parley/gateway node migrate.mjs
# The operator's command:           docker exec <gateway> node dist/cli.js workspace create --name demo

ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
ENV CI=true
RUN npm install --global pnpm@12.21.0
WORKDIR /src
# The store is filled from the lock file alone, so that this layer lives as long as no dependency changes.
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch
COPY . .
RUN pnpm install --frozen-lockfile --prefer-offline && node scripts/run.mjs build
ARG SERVICE
RUN test -n "${SERVICE}" && pnpm --filter "@parley/${SERVICE}" deploy --prod /app \
  && rm -rf /app/src /app/tests && cp scripts/container/*.mjs /app/

FROM ${NODE_IMAGE} AS runtime
ENV NODE_ENV=production HOST=0.0.0.0 MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build --chown=root:root /app ./
# A volume that is mounted here belongs to whoever the folder belongs to.
RUN install --directory --owner=node --group=node /var/lib/parley/recordings
USER node
# A service finishes what it holds on SIGTERM: give it 30 s (--stop-timeout 35).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "healthcheck.mjs"]
# What a busy service makes of requests dies young, and is let go of in one sweep rather than in eight.
CMD ["node", "--max-semi-space-size=8", "--enable-source-maps", "dist/main.js"]
