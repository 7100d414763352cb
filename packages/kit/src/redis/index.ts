export { connectRedis, type RedisConnection, type RedisOptions } from './connect-redis.ts';
export { scriptRunner } from './script-runner.ts';
