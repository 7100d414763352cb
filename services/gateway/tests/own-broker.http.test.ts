import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES, type ServiceName } from '@parley/contracts';
import { brokerDefinitions, connectAmqp } from '@parley/kit/amqp';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { type EventStream, eventually, openEvents } from '@parley/testkit';
import { hasOwnBroker, type OwnBroker, ownBroker } from '@parley/testkit/stage';
import request from 'supertest';
import { startAuditConsumer } from '../src/audit/consumers.ts';
import { bootGateway, type Gateway } from './harness.ts';
import { join, type Person } from './people.ts';

// With a RabbitMQ of its own: users with their own rights, and alarms, which concern everything that uses a broker.

const PREFIX = 'own';

if (!hasOwnBroker) process.stdout.write('A RabbitMQ user for each service: skipped without RabbitMQ\n');
const describeBroker = hasOwnBroker ? describe : describe.skip;

describeBroker('a gateway with a RabbitMQ user of its own (AMQP_TOPOLOGY=provided)', () => {
  let folder: string;
  let broker: OwnBroker;
  let gateway: Gateway;
  let person: Person;
  const open: EventStream[] = [];

  const passwordOf = (service: ServiceName) => `of-${service}`;
  const urlOf = (service: ServiceName): string => {
    const url = new URL(broker.url);
    url.username = `${PREFIX}-${service}`;
    url.password = passwordOf(service);
    return url.href;
  };

  beforeAll(async () => {
    folder = await mkdtemp(pathOf(tmpdir(), 'parley-definitions-'));
    broker = await ownBroker();
    const passwords = Object.fromEntries(
      SERVICES.map((service) => [service, { password: passwordOf(service), salt: randomBytes(4) }]),
    ) as Parameters<typeof brokerDefinitions>[0]['passwords'];
    const file = pathOf(folder, 'definitions.json');
    await writeFile(file, JSON.stringify(brokerDefinitions({ prefix: PREFIX, vhost: '/', passwords })));
    await broker.control('import_definitions', file);
    gateway = await bootGateway({
      AMQP_URL: urlOf('gateway'),
      AMQP_PREFIX: PREFIX,
      AMQP_TOPOLOGY: 'provided',
    });
    startAuditConsumer(gateway.context);
    person = await join(gateway, gateway.workspace.workspace_id, 'owner');
  });

  afterAll(async () => {
    for (const stream of open) stream.close();
    await gateway?.stop();
    await broker?.stop();
    await rm(folder, { recursive: true });
  });

  const listen = async (headers: Record<string, string> = {}): Promise<EventStream> => {
    const stream = await openEvents(gateway.url, { cookie: person.cookie, ...headers });
    open.push(stream);
    return stream;
  };

  /** The gateway notes a change of its own, and gets it from the broker. */
  const isLive = (stream: EventStream) =>
    eventually(async () => {
      const before = stream.changes().length;
      const key = { name: randomUUID(), type: 'private' };
      expect((await person.ask('POST', '/dashboard/api/keys', key)).status).toBe(201);
      await eventually(() => expect(stream.changes().length).toBeGreaterThan(before), { timeoutMs: 2_000 });
    });

  it('publishes, consumes and watches its messages, and declares nothing', async () => {
    await eventually(() => expect(gateway.context.amqp.isUp()).toBe(true));
    await isLive(await listen());
    const log = createLogger({ service: 'telephony', level: 'silent' });
    const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
    const telephony = connectAmqp({
      url: urlOf('telephony'),
      prefix: PREFIX,
      declares: false,
      log,
      lifecycle,
    });
    const id = randomUUID();
    const type = 'audit.recorded';
    const data = {
      action: 'phone_number.deleted',
      actor: { kind: 'service', id: 'telephony', name: null },
      target: { type: 'phone_number', id: randomUUID(), name: '+14155550100' },
      address: null,
      changes: {},
    };
    const workspace_id = gateway.workspace.workspace_id;
    const payload = JSON.stringify({ id, type, occurred_at: new Date().toISOString(), workspace_id, data });
    await eventually(() => telephony.publish({ id, type, payload }));
    await eventually(async () => {
      const { body } = await request(gateway.url)
        .get(`/v1/audit-log?target=${data.target.id}`)
        .set('authorization', `Bearer ${gateway.workspace.private_key}`);
      expect(body.data).toEqual([expect.objectContaining({ action: data.action, target: data.target })]);
    });
    await lifecycle.stop('test');
  });

  it('ends its streams while the broker blocks publishers, and opens them again after it [dashboard.9]', async () => {
    const stream = await listen();
    await isLive(stream);
    await broker.control('set_vm_memory_high_watermark', '0');
    await eventually(() => expect(stream.isOver()).toBe(true));
    const refused = await listen();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    await broker.control('set_vm_memory_high_watermark', '0.4');
    const again = await eventually(async () => {
      const opened = await listen({ 'last-event-id': stream.lastId() });
      expect(opened.status).toBe(200);
      return opened;
    });
    await eventually(() => expect(again.named('reset')).toHaveLength(1));
    await isLive(again);
  });
});
