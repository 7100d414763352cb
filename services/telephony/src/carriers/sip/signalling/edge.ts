import type { IncomingResponseMessage } from 'sip.js/lib/core/index.js';
import type { Hop } from './connections.ts';

// The protocol between a worker and the edge (Kamailio). A worker opens one WebSocket to each edge and registers on it:
//
//   worker → edge   REGISTER sip:edge, To <sip:workers@edge>, Contact <sip:WORKER_ID@….invalid;transport=ws>;q=FREE;expires=60
//                   every 20 seconds, and within a second after its free capacity has changed; q is a thousandth of the
//                   calls that it can take; full or stopping it registers with expires=0
//   worker → edge   a request outside of dialogs carries `X-Parley-Target: sip:ADDRESS:PORT;transport=…`: the edge removes the header
//                   and sends the request there, without resolving the Request-URI
//   edge → worker   an INVITE outside of dialogs carries `X-Parley-Source: ADDRESS:PORT;transport=…` of the far end, which the edge sets
//                   and removes from what others send. A worker without capacity responds 503, and the edge tries the next one
//   in dialogs      both sides follow Record-Route, which the edge adds with its alias of the WebSocket

/** The address that a request came from, set by the edge. It is trusted only on the connection to the edge. */
export const SOURCE_HEADER = 'X-Parley-Source';
export const EDGE_DOMAIN = 'edge';
export const WORKERS_USER = 'workers';
export const REGISTRATION_SECONDS = 60;

/** Responses of the edge itself when the trunk doesn't respond or cannot be reached; they have its Server header. */
const FAILURES: ReadonlySet<number> = new Set([408, 477, 478, 500]);
const SERVER = 'Parley';

/** Whether the edge responded because the trunk did not. */
export function isFailureOfEdge({ via }: Hop, response: IncomingResponseMessage): boolean {
  if (via !== 'edge' || !FAILURES.has(response.statusCode ?? 0)) return false;
  return response.hasHeader('server') && response.getHeader('server') === SERVER;
}
