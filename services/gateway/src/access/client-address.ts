import type { IncomingMessage } from 'node:http';

/** Express's `trust proxy fn`: whether this hop, counted from the gateway, is a trusted proxy. */
export type Trust = (address: string, hop: number) => boolean;

/** Express's `req.ip` for requests that bypass Express: the nearest address that is not a trusted proxy's. */
export function addressOf({ socket, headers }: IncomingMessage, trust: Trust): string {
  const nearest = socket.remoteAddress ?? '';
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined || !trust(nearest, 0)) return nearest;
  const hops = [nearest, ...addressesIn(String(forwarded)).reverse()];
  return hops.find((address, hop) => !trust(address, hop)) ?? hops.at(-1) ?? '';
}

function addressesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
