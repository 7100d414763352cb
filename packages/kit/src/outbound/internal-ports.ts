import { networkInterfaces } from 'node:os';
import { checkAddress } from './check-address.ts';
import { type Cidr, isInside, parseAddress, parseCidr } from './ip-address.ts';
import { isLocalhost } from './localhost.ts';
import { isOwnPort } from './own-ports.ts';
import type { Resolver } from './resolver.ts';

/** Whether a connection would reach an internal port of the platform [trust.12]. */
export type InternalPorts = { includes(address: string, port: number): Promise<boolean> };

const DEFAULT_PORTS: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'amqp:': 5672,
  'amqps:': 5671,
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
};

/**
 * `urls`: the internal addresses of the platform. Their ports, and those of servers in this process, are rejected on every address that is not public, since replicas,
 * containers and aliases of this machine may have any such address; receivers that the operator allows there can use other ports. On
 * public addresses they are rejected for this machine and for the hosts of `urls`.
 */
export function createInternalPorts(urls: readonly string[], resolver: Resolver): InternalPorts {
  const endpoints = urls.map(endpointOf).filter(({ port }) => port !== 0);
  return {
    includes: async (address, port) => {
      const same = endpoints.filter((endpoint) => endpoint.port === port);
      if (same.length === 0 && !isOwnPort(port)) return false;
      if (checkAddress(address) !== undefined) return true;
      if (ownAddresses().some((own) => isSame(address, own))) return true;
      for (const { host } of same) {
        const addresses = await addressesOf(host, resolver);
        if (addresses.some((one) => isSame(address, one))) return true;
      }
      return false;
    },
  };
}

function endpointOf(text: string): { host: string; port: number } {
  const url = new URL(text);
  const port = url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port };
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
}

async function addressesOf(host: string, resolver: Resolver): Promise<readonly string[]> {
  if (parseAddress(host)) return [host];
  if (isLocalhost(host) || host === '') return [];
  return resolver(host).catch(() => []);
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [rangeOf(one), parseAddress(other)];
  return left !== undefined && right !== undefined && isInside(right, left);
}

function rangeOf(address: string): Cidr | undefined {
  return parseAddress(address) ? parseCidr(address) : undefined;
}
