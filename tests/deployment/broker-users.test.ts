import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageTypes, publications, topology } from '@parley/contracts';
import { ROOT, SERVICES, type ServiceName } from '@parley/devstack';

type Permission = { user: string; configure: string; write: string; read: string };
type Definitions = {
  users: { name: string; password_hash: string; tags: string[] }[];
  permissions: Permission[];
  topic_permissions: (Permission & { exchange: string })[];
  queues: { name: string }[];
  bindings: { source: string; destination: string; routing_key: string }[];
};

const TYPES = Object.keys(messageTypes);
const QUEUES = Object.keys(topology).map((name) => `parley.${name}`);
const FLAGS = [
  '--import',
  'tsx',
  '--conditions=source',
  join(ROOT, 'packages/container/make-broker-users.mjs'),
];

/** `node make-broker-users.mjs`, for operators. */
describe('a RabbitMQ user for each service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-broker-'));
  let definitions: Definitions;
  const make = (): Definitions => {
    execFileSync(process.execPath, [...FLAGS, folder, 'amqps://rabbitmq.example.com:5671/calls'], {
      cwd: ROOT,
    });
    return JSON.parse(readFileSync(join(folder, 'definitions.json'), 'utf8'));
  };
  beforeAll(() => {
    definitions = make();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const of = <T extends { user: string }>(list: T[], service: ServiceName): T => {
    const found = list.find(({ user }) => user === `parley-${service}`);
    if (!found) throw new Error(`nothing for ${service}`);
    return found;
  };
  const matching = (pattern: string, names: readonly string[]): string[] =>
    names.filter((name) => new RegExp(pattern).test(name));

  it.each(SERVICES)(
    '%s publishes its own types, consumes its own queues, and declares and binds none',
    (service) => {
      const { configure, write, read } = of(definitions.permissions, service);
      const own = Object.entries(topology).filter(([, queue]) => queue.service === service);
      const queues = own.flatMap(([name]) => [`parley.${name}`, `parley.${name}.dead`]);
      const all = QUEUES.flatMap((name) => [name, `${name}.dead`]);
      const others = [...all, 'parley.events', 'parley.dead', 'amq.default', 'amq.topic', 'parley.x', ''];
      expect(matching(read, all)).toEqual(queues);
      expect(matching(write, others)).toEqual(['parley.events', 'parley.dead']);
      expect(matching(configure, others.slice(0, -1))).toEqual([]);
      const topic = of(definitions.topic_permissions, service);
      expect(topic.exchange).toBe('parley.events');
      expect(matching(topic.write, TYPES).sort()).toEqual([...publications[service]].sort());
    },
  );

  it('the queues and bindings are those that services declare otherwise', () => {
    expect(definitions.queues.map(({ name }) => name)).toEqual(
      QUEUES.flatMap((name) => [name, `${name}.dead`]),
    );
    const bound = definitions.bindings.map(({ source, destination, routing_key }) => [
      source,
      destination,
      routing_key,
    ]);
    expect(bound).toHaveLength(
      Object.values(topology).reduce((sum, { types }) => sum + types.length, QUEUES.length),
    );
    expect(bound).toContainEqual(['parley.events', 'parley.telephony.dials', 'dial.requested']);
    expect(bound).toContainEqual(['parley.dead', 'parley.telephony.dials.dead', 'parley.telephony.dials']);
  });

  it('passwords are kept by later runs, and match their hashes', () => {
    const url = (service: ServiceName) =>
      new URL(parseEnv(readFileSync(join(folder, `${service}.env`), 'utf8')).AMQP_URL ?? '');
    const before = url('webhooks').href;
    expect(make()).toEqual(definitions);
    expect(url('webhooks').href).toBe(before);
    for (const service of SERVICES) {
      const { username, password, pathname } = url(service);
      expect([username, pathname]).toEqual([`parley-${service}`, '/calls']);
      const user = definitions.users.find(({ name }) => name === username);
      const hash = Buffer.from(user?.password_hash ?? '', 'base64');
      const salt = hash.subarray(0, 4);
      expect(createHash('sha256').update(salt).update(password).digest()).toEqual(hash.subarray(4));
      expect(user?.tags).toEqual([]);
    }
  });
});

it.each(SERVICES)('%s publishes what the contracts say, according to its source', (service) => {
  const folder = join(ROOT, 'services', service, 'src');
  const found = new Set<string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts') || path.startsWith('generated')) continue;
    const text = readFileSync(join(folder, path), 'utf8');
    for (const [, type = ''] of text.matchAll(/\btype: '([a-z]+(?:-[a-z]+)*\.[a-z]+)'/g)) found.add(type);
    if (/\brecordAudit\(/.test(text) && service !== 'gateway') found.add('audit.recorded');
    if (/\bcreateChangeNotes\(/.test(text)) found.add('changes.noted');
  }
  expect([...found].filter((type) => TYPES.includes(type)).sort()).toEqual([...publications[service]].sort());
});
