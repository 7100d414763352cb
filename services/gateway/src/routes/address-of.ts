import type { IncomingMessage } from 'node:http';

/** Express's `trust proxy fn`: whether this hop, counted from us, is a proxy whose word is believed. */
export type Trust = (address: string, hop: number) => boolean;

/** Where a request comes from: Express's `req.ip`, for requests that it hasn't seen. The nearest address that isn't a trusted proxy's. */
export function addressOf({ socket, headers }: IncomingMessage, trust: Trust): string {
  const nearest = socket.remoteAddress ?? '';
  const told = headers['x-forwarded-for'];
  if (told === undefined || !trust(nearest, 0)) return nearest;
  const hops = [nearest, ...namesIn(String(told)).reverse()];
  return hops.find((address, hop) => !trust(address, hop)) ?? hops.at(-1) ?? '';
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
