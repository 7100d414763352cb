/** The servers that the platform depends on. */
export type ServerKind = 'postgres' | 'redis' | 'rabbitmq';

type ServerFacts = {
  title: string;
  variable: string;
  protocols: string[];
  usualPort: number;
  oldest: string;
  packages: string;
};

export const SERVERS: Record<ServerKind, ServerFacts> = {
  postgres: {
    title: 'Postgres',
    variable: 'DATABASE_URL',
    protocols: ['postgres:', 'postgresql:'],
    usualPort: 5432,
    oldest: '14',
    packages: 'postgresql',
  },
  redis: {
    title: 'Redis',
    variable: 'REDIS_URL',
    protocols: ['redis:', 'rediss:'],
    usualPort: 6379,
    oldest: '6',
    packages: 'redis-server',
  },
  rabbitmq: {
    title: 'RabbitMQ',
    variable: 'AMQP_URL',
    protocols: ['amqp:', 'amqps:'],
    usualPort: 5672,
    oldest: '3.10',
    packages: 'rabbitmq-server',
  },
};

export const SERVER_KINDS: readonly ServerKind[] = ['postgres', 'redis', 'rabbitmq'];

/** A running server. `stop` does nothing if it was running before. */
export type RunningServer = { kind: ServerKind; url: string; about: string; stop(): Promise<void> };
