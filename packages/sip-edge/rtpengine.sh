#!/bin/sh
# rtpengine in user space: it needs no kernel module and no capability.
set -eu
own=${RTPENGINE_ADDRESS:-$(hostname -i | cut -d' ' -f1)}
# heuristic: audio goes at once to where the far end's comes from, within the first three seconds; a NAT's address is none of the SDP.
exec rtpengine --foreground --log-stderr --log-level="${RTPENGINE_LOG_LEVEL:-4}" --table=-1 --pidfile="${RTPENGINE_RUN_FOLDER:-/tmp}/rtpengine.pid" \
  --interface="internal/$own" --interface="external/$own!${RTPENGINE_PUBLIC_ADDRESS:-$own}" \
  --listen-ng="${RTPENGINE_CONTROL:-$own:2223}" --endpoint-learning=heuristic \
  --port-min="${RTPENGINE_PORT_MIN:-30000}" --port-max="${RTPENGINE_PORT_MAX:-30999}"
