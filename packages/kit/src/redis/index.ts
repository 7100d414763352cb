export { connectRedis, type RedisConnection, type RedisOptions } from './connect-redis.ts';
