#!/bin/sh
# rtpengine in user space: it needs no kernel module and no capability.
set -eu
own=$(hostname -i | cut -d' ' -f1)
exec rtpengine --foreground --log-stderr --log-level="${RTPENGINE_LOG_LEVEL:-4}" --table=-1 --pidfile=/tmp/rtpengine.pid \
  --interface="internal/$own" --interface="external/$own!${RTPENGINE_PUBLIC_ADDRESS:-$own}" \
  --listen-ng="${RTPENGINE_CONTROL:-$own:2223}" \
  --port-min="${RTPENGINE_PORT_MIN:-30000}" --port-max="${RTPENGINE_PORT_MAX:-30999}"
