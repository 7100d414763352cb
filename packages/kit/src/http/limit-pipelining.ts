import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Far more than clients need, few of which pipeline at all, and about 5 MB, or 25 MB if their headers are as large as allowed. Of the whole
 * server: a limit for each connection would have to be tiny, since there may be thousands of them.
 */
const MAX_PIPELINED = 1_000;

/**
 * Bounds the requests that wait behind an earlier one of their connection (pipelining). Node reads them as fast as they arrive, two thousand from a
 * single packet of 64 KiB, and keeps each until all before it have been answered. Beyond the limit the connection is closed without a response, since a
 * response would wait as well, and `onClosed` gets its address. Returns whether the request may be served.
 */
export function limitPipelining(
  onClosed: (remote: string | undefined) => void,
  max = MAX_PIPELINED,
): (res: ServerResponse) => boolean {
  let pipelined = 0;
  return (res) => {
    // The only one of its connection.
    if (res.socket !== null) return true;
    if (pipelined >= max) {
      const { socket } = res.req;
      onClosed(socket.remoteAddress);
      close(socket);
      return false;
    }
    pipelined += 1;
    res.once('close', () => {
      pipelined -= 1;
    });
    return true;
  };
}

/**
 * Ignores the rest of the packet: Node would emit its requests as well, and keep them until it has read all packets that have arrived. It has no
 * public way to do so.
 */
function close(socket: Socket & { parser?: { onIncoming: () => void } }): void {
  if (socket.parser) socket.parser.onIncoming = () => {};
  socket.destroy();
}
