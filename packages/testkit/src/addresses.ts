/** The tests' Postgres; the database of the URL is only used to create others. */
export function databaseUrl(): string {
  return process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
}

export function amqpUrl(): string {
  return process.env.AMQP_URL ?? 'amqp://guest:guest@127.0.0.1:5672';
}

export function redisUrl(): string {
  return process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
}
