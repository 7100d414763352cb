#!/bin/sh
# rtpengine in user space: it needs no kernel module and no capability. Arguments are further options of rtpengine. `rtpengine.sh check`:
# whether it responds.
set -eu
own=${RTPENGINE_ADDRESS:-$(hostname -i | cut -d' ' -f1)}
control=${RTPENGINE_CONTROL:-$own:2223}

if [ "${1:-}" = check ]; then
  # A datagram is read as a whole or lost.
  exec bash -c "exec 3<>/dev/udp/${control%:*}/${control##*:}; printf 'check d7:command4:%se' ping >&3; timeout 3 dd bs=512 count=1 <&3 2>/dev/null | grep -q pong"
fi

# offer-timeout: what rings ends after 200 seconds at most; a worker that dies meanwhile leaves its ports behind until then.
# heuristic: audio goes at once to where the far end's comes from, within the first three seconds; a NAT's address is none of the SDP.
exec rtpengine --foreground --log-stderr --log-level="${RTPENGINE_LOG_LEVEL:-4}" --table=-1 --pidfile="${RTPENGINE_RUN_FOLDER:-/tmp}/rtpengine.pid" \
  --interface="internal/$own" --interface="external/$own!${RTPENGINE_PUBLIC_ADDRESS:-$own}" \
  --listen-ng="$control" --endpoint-learning=heuristic --offer-timeout=240 \
  --port-min="${RTPENGINE_PORT_MIN:-30000}" --port-max="${RTPENGINE_PORT_MAX:-30999}" "$@"
