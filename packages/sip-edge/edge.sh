#!/bin/sh
# Kamailio's command line from the environment, as src/edge-command.ts makes it from settings. `edge.sh check`: whether it responds.
set -eu
own=$(hostname -i | cut -d' ' -f1)
address=${EDGE_ADDRESS:-$own}
internal=${EDGE_INTERNAL_ADDRESS:-$own}
internal_port=${EDGE_INTERNAL_PORT:-5066}

if [ "${1:-}" = check ]; then
  exec bash -c "exec 3<>/dev/tcp/$internal/$internal_port; printf 'GET /healthz HTTP/1.1\r\nHost: edge\r\nContent-Length: 0\r\n\r\n' >&3; while read -r -t 3 line <&3; do [ \"\$line\" != OK ] || exit 0; done; exit 1"
fi

set -- -DD -E -f "$(dirname "$0")/kamailio.cfg" -Y "${EDGE_RUN_FOLDER:-/tmp}" -m "${EDGE_SHARED_MB:-64}" -M 8
for pair in "EDGE_LOG_LEVEL=${EDGE_LOG_LEVEL:-1}" "EDGE_ADDRESS=$address" "EDGE_PORT=${EDGE_PORT:-5060}" \
  "EDGE_INTERNAL_ADDRESS=$internal" "EDGE_INTERNAL_PORT=$internal_port" \
  "EDGE_UNKNOWN_DENSITY=${EDGE_UNKNOWN_DENSITY:-20}" "EDGE_MAX_REFUSED=${EDGE_MAX_REFUSED:-10}" \
  "EDGE_TRUNK_DENSITY=${EDGE_TRUNK_DENSITY:-400}"; do
  set -- "$@" --substdef "!${pair%%=*}!${pair#*=}!g"
done
# One for each replica of a StatefulSet, whose host names end with their numbers.
public=$(echo "${EDGE_PUBLIC_ADDRESS:-}" | cut -d, -f"$(($(hostname | sed -n 's/.*-\([0-9]\{1,4\}\)$/\1/p') + 1))")
if [ -n "${EDGE_PUBLIC_ADDRESS:-}" ] && [ -z "$public" ]; then
  echo "EDGE_PUBLIC_ADDRESS has no address for $(hostname): one for each replica, separated by commas" >&2
  exit 1
fi
if [ -n "$public" ]; then
  set -- "$@" -A WITH_ADVERTISE --substdef "!EDGE_PUBLIC_ADDRESS!$public!g"
fi
if [ -n "${EDGE_TLS_CONFIG:-}" ]; then
  set -- "$@" -A WITH_TLS --substdef "!EDGE_TLS_CONFIG!$EDGE_TLS_CONFIG!g" --substdef "!EDGE_TLS_PORT!${EDGE_TLS_PORT:-5061}!g"
fi
if [ -n "${EDGE_SOURCES:-}" ]; then
  set -- "$@" -A WITH_SOURCES --substdef "!EDGE_SOURCES!$EDGE_SOURCES!g"
fi
if [ -n "${EDGE_PRIVATE:-}" ]; then
  set -- "$@" -A WITH_PRIVATE --substdef "!EDGE_PRIVATE!$EDGE_PRIVATE!g"
fi
if [ -n "${EDGE_RTPENGINE:-}" ]; then
  set -- "$@" -A WITH_RTPENGINE --substdef "!EDGE_RTPENGINE!$EDGE_RTPENGINE!g"
fi
[ -z "${EDGE_CHECK_ONLY:-}" ] || set -- -c "$@"
exec "${KAMAILIO:-kamailio}" "$@"
