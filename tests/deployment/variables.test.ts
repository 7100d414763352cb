import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT } from '../../scripts/stack/folders.ts';
import { SERVICES } from '../../scripts/stack/services.ts';
import type { Manifest } from './kustomize.ts';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const told = [...read('.env.example').matchAll(/^#([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);

/** What a deployment decides, and no operator in one variable: where processes listen and find each other. */
const OF_THE_DEPLOYMENT =
  /^(HOST|PORT|INTERNAL_PORT|NODE_ENV|TELEPHONY_ROLE|(AMQP|REDIS)_PREFIX|\w+_INTERNAL_URL|(ASSISTANTS|TELEPHONY|CAMPAIGNS|WEBHOOKS)_URL)$/;
/** What is read by the commands of a checkout. */
const OF_THE_COMMANDS = [
  'PARLEY_IGNORE_LOCAL',
  'PARLEY_IGNORE_DOCKER',
  'STACK_NAME',
  'LOG_TO',
  'GATEWAY_PORT',
];
/** In containers the servers are those beside them. */
const SERVERS = ['DATABASE_URL', 'REDIS_URL', 'AMQP_URL'];

/** One after the other: Jest links modules of one import at a time. */
const readByAny = async (): Promise<Set<string>> => {
  const names = new Set<string>();
  for (const service of SERVICES) for (const name of await readBy(service)) names.add(name);
  return names;
};

const readBy = async (service: string): Promise<string[]> =>
  Object.keys((await import(`../../services/${service}/src/config.ts`)).configSchema.shape);

describe('.env.example', () => {
  it('tells every variable that a service reads, once', async () => {
    const all = await readByAny();
    expect([...all].filter((name) => !OF_THE_DEPLOYMENT.test(name) && !told.includes(name))).toEqual([]);
    expect(told.filter((name, index) => told.indexOf(name) !== index)).toEqual([]);
  });

  it('tells of no variable that nobody reads', async () => {
    const all = new Set([...(await readByAny()), ...OF_THE_COMMANDS]);
    expect(told.filter((name) => !all.has(name))).toEqual([]);
  });

  it.each(SERVICES)('is heeded by docker-compose.yml for %s', async (service) => {
    const compose: Manifest = parse(read('docker-compose.yml'), { merge: true });
    const environment: Record<string, string> = compose.services[service].environment;
    const wanted = (await readBy(service)).filter((name) => told.includes(name) && !SERVERS.includes(name));
    const heeded = wanted.filter((name) => new RegExp(`\\$\\{${name}:?-`).test(String(environment[name])));
    // The folder in the container is a volume's.
    expect(wanted.filter((name) => !heeded.includes(name) && name !== 'RECORDINGS_DIR')).toEqual([]);
  });
});
