#!/usr/bin/env bash
# From nothing to verified webhooks on this machine, and again after a restart of the engine, from which the containers come back by themselves.
# In another environment, such as a machine in a machine:
#   COMPOSE="… compose DIR"   instead of docker compose
#   RUN="… shell"             runs a command where the published ports are reachable
#   RESTART="… reboot"        restarts the engine. Without it only the containers are restarted, which shows nothing of restart policies
set -euo pipefail
cd "$(dirname "$0")/../.."
read -ra compose <<<"${COMPOSE:-docker compose}"
read -ra run <<<"${RUN:-}"

verify() { "${run[@]}" node "$PWD/tests/deployment/verify-webhook.mjs" "$1"; }
wait_until_ready() {
  "${run[@]}" curl --fail --silent --show-error --retry 150 --retry-delay 2 --retry-all-errors \
    --output /dev/null http://127.0.0.1:8080/healthz
}

"${compose[@]}" up --detach
wait_until_ready
workspace=$("${compose[@]}" exec -T gateway node dist/cli.js workspace create --name verify)
verify "$workspace"

if [ -n "${RESTART:-}" ]; then
  read -ra restart <<<"$RESTART"
  "${restart[@]}"
else
  "${compose[@]}" restart
fi
wait_until_ready
verify "$workspace"
"${compose[@]}" ps --all
