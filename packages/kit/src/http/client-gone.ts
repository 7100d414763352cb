import type { ServerResponse } from 'node:http';
import { AppError } from '../errors/index.ts';

class ClientGone extends AppError {}

/** The error for a client that has disconnected, which never receives it. */
export function clientGone(): AppError {
  return new ClientGone('BAD_REQUEST', 'The client closed the connection');
}

/** Whether work ended because its client has disconnected. */
export function isClientGone(err: unknown): boolean {
  return err instanceof ClientGone;
}

/** Aborts when the client disconnects, and at once if it has done so while its request waited. */
export function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => gone.abort(clientGone());
  if (res.closed) abort();
  else res.once('close', abort);
  return gone.signal;
}

/**
 * Closes the connection of an incomplete response, also while it waits behind an earlier one (pipelining): `destroy` alone would have
 * no effect then, and the client would wait forever. The connection of a complete response may serve another request already.
 */
export function disconnect(res: ServerResponse): void {
  if (res.writableFinished || res.closed) return;
  res.destroy();
  res.req.socket.destroy();
}
