import { createHash } from 'node:crypto';
import { publications, type QueueName, SERVICES, type ServiceName, topology } from '@parley/contracts';
import { argumentsOf } from './declare-topology.ts';
import { deadExchangeName, deadQueueName, exchangeName, queueName } from './names.ts';
import { queuesOf } from './rewrite-dead-letters.ts';

type Options = {
  prefix: string;
  vhost: string;
  passwords: Record<ServiceName, { password: string; salt: Buffer }>;
};

/** Queues that the broker names, which processes of the gateway declare to watch messages. */
const WATCHING = 'amq\\.gen-.*';
const NOTHING = '^$';

/**
 * Definitions for `rabbitmqctl import_definitions`: everything that services otherwise declare themselves, and a user for each service,
 * `<prefix>-<service>`, which publishes the types of its service only and consumes its queues only. It may declare and bind
 * nothing, since a binding could lead messages of one's own to the queues of others (AMQP_TOPOLOGY=provided).
 */
export function brokerDefinitions({ prefix, vhost, passwords }: Options): object {
  const queues = Object.keys(topology) as QueueName[];
  const events = exchangeName(prefix);
  const dead = deadExchangeName(prefix);
  const user = (service: ServiceName): string => `${prefix}-${service}`;
  const exchange = (name: string, type: string): object => ({
    ...{ name, vhost, type, durable: true, auto_delete: false, internal: false, arguments: {} },
  });
  const bound = (source: string, destination: string, routing_key: string): object => ({
    ...{ source, vhost, destination, destination_type: 'queue', routing_key, arguments: {} },
  });
  return {
    users: SERVICES.map((service) => ({
      name: user(service),
      password_hash: hashOf(passwords[service]),
      hashing_algorithm: 'rabbit_password_hashing_sha256',
      tags: [],
    })),
    permissions: SERVICES.map((service) => {
      const own = queuesOf(service).flatMap((queue) => [
        queueName(prefix, queue),
        deadQueueName(prefix, queue),
      ]);
      const watching = service === 'gateway' ? [WATCHING] : [];
      return {
        user: user(service),
        vhost,
        configure: oneOf(watching),
        // Erasures write to dead-letter queues, and watchers probe whether publishers are blocked.
        write: oneOf([...[events, dead].map(exactly), ...watching]),
        read: oneOf([...own.map(exactly), ...(service === 'gateway' ? [exactly(events), WATCHING] : [])]),
      };
    }),
    topic_permissions: SERVICES.map((service) => ({
      ...{ user: user(service), vhost, exchange: events },
      write: oneOf(publications[service].map(exactly)),
      read: service === 'gateway' ? '.*' : NOTHING,
    })),
    exchanges: [exchange(events, 'topic'), exchange(dead, 'direct')],
    queues: queues.flatMap((queue) => {
      const given = argumentsOf(prefix, queue);
      return [
        { name: queueName(prefix, queue), arguments: given.own },
        { name: deadQueueName(prefix, queue), arguments: given.dead },
      ].map((one) => ({ ...one, vhost, durable: true, auto_delete: false }));
    }),
    bindings: queues.flatMap((queue) => [
      ...topology[queue].types.map((type) => bound(events, queueName(prefix, queue), type)),
      bound(dead, deadQueueName(prefix, queue), queueName(prefix, queue)),
    ]),
  };
}

function exactly(name: string): string {
  return name.replaceAll('.', '\\.');
}

function oneOf(patterns: readonly string[]): string {
  return patterns.length === 0 ? NOTHING : `^(${patterns.join('|')})$`;
}

function hashOf({ password, salt }: { password: string; salt: Buffer }): string {
  const hash = createHash('sha256').update(salt).update(password).digest();
  return Buffer.concat([salt, hash]).toString('base64');
}
