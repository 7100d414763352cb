import type { OutboundClient, OutboundRequest, OutboundResult } from '../../src/outbound/index.ts';
import { createResolver } from '../../src/outbound/resolver.ts';
import type { AddressVector } from './address-vectors.ts';
import { dnsServer, type Zone } from './dns-server.ts';
import { answerOf, clientOf, type RawServer, rawServer, requestOf } from './harness.ts';

/** Ways to direct a request to an address that isn't public; each returns the outcomes of its requests. */
type Way = (vector: AddressVector) => Promise<OutboundResult[]>;

export type Matrix = {
  ways: Readonly<Record<string, Way>>;
  /** The two ways of a whole URL. */
  urlWays: Readonly<Record<string, (url: string) => Promise<OutboundResult[]>>>;
  /** Connections that the canary has accepted. */
  connections(): number;
  port: number;
  close(): Promise<void>;
};

/** Stands for the public world: an address that the operator allows, with a receiver of the attacker's. */
const PUBLIC = '127.0.0.2';
const NAME = 'receiver.test';
const SCHEMES = ['http', 'https'] as const;

const recordOf = (...addresses: string[]) => ({
  a: addresses.filter((address) => !address.includes(':')),
  aaaa: addresses.filter((address) => address.includes(':')),
});

/** The first query returns a public address, the second the forbidden one. */
const changing = (address: string): Zone[string] => {
  const asked = { a: 0, aaaa: 0 };
  const bad = recordOf(address);
  const next = (type: 'a' | 'aaaa', good: string[]): string[] => {
    asked[type] += 1;
    return asked[type] === 1 ? good : bad[type];
  };
  return {
    get a() {
      return next('a', [PUBLIC]);
    },
    get aaaa() {
      return next('aaaa', []);
    },
  };
};

/** Real sockets and a real name server; the canary listens on every address of this machine. */
export async function openMatrix(): Promise<Matrix> {
  const canary = await rawServer((socket) => socket.end(answerOf(200)), { host: '::' });
  const { port } = canary;
  const zone: Zone = {};
  const dns = await dnsServer(zone);
  const client = clientOf({ allowCidrs: [`${PUBLIC}/32`], resolver: createResolver([dns.address]) });
  let onRequest = (): void => {};
  let location = '';
  let status = 307;
  const attacker: RawServer = await rawServer(
    (socket) => {
      onRequest();
      const headers: Record<string, string> = location === '' ? {} : { location };
      socket.write(answerOf(location === '' ? 200 : status, headers));
    },
    { host: PUBLIC },
  );
  const here = (host: string): string => `http://${host}:${attacker.port}/hook`;
  const send = (url: string, change: Partial<OutboundRequest> = {}): Promise<OutboundResult> =>
    client.send(requestOf(url, { allowHttp: true, replayable: true, ...change }));

  const direct = (url: string) => Promise.all([send(url), send(url, { method: 'GET', replayable: false })]);
  const redirect = async (url: string): Promise<OutboundResult[]> => {
    const results: OutboundResult[] = [];
    for (status of [307, 308]) {
      location = url;
      results.push(await send(here(PUBLIC)));
    }
    location = '';
    return results;
  };
  const bySchemes = async (host: string, way: (url: string) => Promise<OutboundResult[]>) => {
    const results: OutboundResult[] = [];
    for (const scheme of SCHEMES) results.push(...(await way(`${scheme}://${host}:${port}/`)));
    return results;
  };
  const resolvesTo = (entry: Zone[string]): void => {
    zone[NAME] = entry;
  };

  const ways: Matrix['ways'] = {
    direct: ({ host }) => bySchemes(host, direct),
    redirect: ({ host }) => bySchemes(host, redirect),
    'a name that resolves to it': async ({ address }) => {
      resolvesTo(recordOf(address));
      return [...(await bySchemes(NAME, direct)), ...(await bySchemes(NAME, redirect))];
    },
    'a name with a public address too': async ({ address }) => {
      const results: OutboundResult[] = [];
      for (const pair of [
        ['8.8.8.8', address],
        [address, '8.8.8.8'],
        ['2606:4700:4700::1111', address],
        [PUBLIC, address],
      ]) {
        resolvesTo(recordOf(...pair));
        results.push(...(await direct(`https://${NAME}:${port}/`)));
      }
      return results;
    },
    'a name that changes its answer between requests': async ({ address }) => {
      await reachesThePublicOne(client, here(NAME), () => resolvesTo(recordOf(PUBLIC)));
      resolvesTo(recordOf(address));
      // To the port of the connection that is kept as well.
      return Promise.all([send(here(NAME)), send(`http://${NAME}:${port}/`)]);
    },
    'a name that changes its answer once it was judged': async ({ address }) => {
      await reachesThePublicOne(client, here(NAME), () => resolvesTo(changing(address)));
      return [await send(here(NAME)), await send(`https://${NAME}:${port}/`)];
    },
    'a name that changes its answer between a request and its redirect': async ({ address }) => {
      onRequest = () => resolvesTo(recordOf(address));
      const results: OutboundResult[] = [];
      for (const url of [`http://${NAME}:${port}/`, here(NAME).replace('hook', 'next')]) {
        resolvesTo(recordOf(PUBLIC));
        location = url;
        results.push(await send(here(NAME)));
      }
      onRequest = () => {};
      location = '';
      return results;
    },
  };
  return {
    ways,
    urlWays: { direct, redirect },
    connections: () => canary.sockets.length,
    port,
    close: async () => {
      await client.close();
      dns.close();
      await Promise.all([canary.close(), attacker.close()]);
    },
  };
}

/** On a busy machine the resolver may query twice and get the forbidden address: then the name starts over. */
async function reachesThePublicOne(
  client: OutboundClient,
  url: string,
  startOver: () => void,
): Promise<void> {
  let result: OutboundResult;
  let attempts = 0;
  do {
    startOver();
    result = await client.send(requestOf(url, { replayable: true }));
    attempts += 1;
  } while (result.outcome !== 'response' && attempts < 5);
  if (result.outcome !== 'response') throw new Error(`${url} was not reached: ${result.error}`);
  if (result.remoteAddress !== PUBLIC) throw new Error(`${url} was reached at ${result.remoteAddress}`);
}
