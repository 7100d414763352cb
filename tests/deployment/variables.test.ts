import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, SERVICES } from '@parley/devstack';
import { parse } from 'yaml';
import type { Manifest } from './kustomize.ts';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const documented = [...read('.env.example').matchAll(/^#([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);

/** What a deployment decides, and no operator in one variable: where processes listen and find each other. */
const OF_THE_DEPLOYMENT =
  /^(HOST|PORT|INTERNAL_PORT|NODE_ENV|(AMQP|REDIS)_PREFIX|\w+_INTERNAL_URL|(ASSISTANTS|TELEPHONY|CAMPAIGNS|WEBHOOKS)_URL)$/;
/** What is read by the commands of a checkout. */
const OF_THE_COMMANDS = [
  'SECRETS_FILE',
  'PARLEY_IGNORE_LOCAL',
  'PARLEY_IGNORE_DOCKER',
  'PARLEY_INSTALL',
  'STACK_NAME',
  'LOG_TO',
  'GATEWAY_PORT',
];
/** In containers the servers are neighboring containers, and each service has its own keys in its secrets file. */
const SERVERS = ['DATABASE_URL', 'REDIS_URL', 'AMQP_URL'];
const OF_THE_SECRETS_FILE = ['INTERNAL_SIGNING_KEYS', 'INTERNAL_VERIFY_KEYS'];

/** One after the other: Jest links modules of one import at a time. */
const readByAny = async (): Promise<Set<string>> => {
  const names = new Set<string>();
  for (const service of SERVICES) for (const name of await readBy(service)) names.add(name);
  return names;
};

const readBy = async (service: string): Promise<string[]> =>
  Object.keys((await import(`../../services/${service}/src/config.ts`)).configSchema.shape);

describe('.env.example', () => {
  it('lists every variable that a service reads, once', async () => {
    const all = await readByAny();
    expect([...all].filter((name) => !OF_THE_DEPLOYMENT.test(name) && !documented.includes(name))).toEqual(
      [],
    );
    expect(documented.filter((name, index) => documented.indexOf(name) !== index)).toEqual([]);
  });

  it('lists no variable that no service reads', async () => {
    const all = new Set([...(await readByAny()), ...OF_THE_COMMANDS]);
    expect(documented.filter((name) => !all.has(name))).toEqual([]);
  });

  it.each(SERVICES)('is read by docker-compose.yml for %s', async (service) => {
    const compose: Manifest = parse(read('docker-compose.yml'), { merge: true });
    const environment: Record<string, string> = compose.services[service].environment;
    const elsewhere = [...SERVERS, ...OF_THE_SECRETS_FILE];
    const wanted = (await readBy(service)).filter(
      (name) => documented.includes(name) && !elsewhere.includes(name),
    );
    const used = wanted.filter((name) => new RegExp(`\\$\\{${name}:?[-+]`).test(String(environment[name])));
    // The folder in the container is a volume's.
    expect(wanted.filter((name) => !used.includes(name) && name !== 'RECORDINGS_DIR')).toEqual([]);
  });
});
