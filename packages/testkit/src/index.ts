export { amqpUrl, databaseUrl, redisUrl } from './addresses.ts';
export { type AmqpPrefix, amqpPrefix } from './amqp-prefix.ts';
