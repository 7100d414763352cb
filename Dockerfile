# One file, an image per service:   docker build --build-arg SERVICE=gateway -t parley.invalid/gateway .
# The service:                      docker run parley.invalid/gateway
# Migrate its database:             docker run parley.invalid/gateway node migrate.mjs
# The operator's command:           docker exec <gateway> node dist/cli.js workspace create --name demo

ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
ENV CI=true
RUN npm install --global pnpm@12.21.0
WORKDIR /src
# Fills the store from the lock file only, so that this layer is cached until a dependency changes.
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch
COPY . .
RUN pnpm install --frozen-lockfile --prefer-offline && node packages/devstack/run.mjs build
ARG SERVICE
# The install above has checked the lock file: don't query the registry again.
# `files` in each package.json selects the deployed files of our packages. Only one of Prisma's query compilers is used.
# /app/sbom.json lists every npm package of the image, with versions, hashes and licenses (CycloneDX).
# An image runs `dist/main.js`; telephony has two entry points and runs `api.js` by default.
RUN test -n "${SERVICE}" \
  && pnpm --filter "@parley/${SERVICE}" --config.minimum-release-age=0 deploy --prod /app \
  && pnpm --filter "@parley/${SERVICE}" sbom --prod --sbom-format cyclonedx --sbom-type application --out /app/sbom.json \
  && if [ ! -e /app/dist/main.js ]; then ln -s api.js /app/dist/main.js; fi \
  && cp packages/container/*.mjs /app/ && rm -f /app/pnpm-lock.yaml /app/pnpm-workspace.yaml \
  && find /app/node_modules -type f \( -name '*.map' -o -name '*.md' \) -not -path '*/@parley/*' -delete \
  && find /app/node_modules -type f -path '*/@prisma/client/runtime/query_compiler_*' -not -name '*.postgresql.*' -delete

FROM ${NODE_IMAGE} AS runtime
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build --chown=root:root /app ./
# A mounted volume inherits the owner of the folder.
RUN install --directory --owner=1000 --group=1000 /var/lib/parley/recordings
# By number: Kubernetes can't verify that a user name is not root.
USER 1000:1000
EXPOSE 8080
# A service finishes its work on SIGTERM: allow 30 s (--stop-timeout 35).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 CMD ["node", "healthcheck.mjs"]
# The first process of a container ignores signals without a handler: register one before the service is loaded.
# Most objects of requests die young: a larger young generation collects them in one pass instead of eight.
CMD ["node", "--import=./stop-while-starting.mjs", "--max-semi-space-size=8", "--enable-source-maps", "dist/main.js"]
ARG SERVICE
ARG VERSION=dev
ARG REVISION=
ARG SOURCE=
LABEL org.opencontainers.image.title="parley-${SERVICE}" \
  org.opencontainers.image.description="Parley, a self-hosted platform for AI voice assistants: ${SERVICE}" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}"
