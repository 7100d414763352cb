export { connectRedis } from './connect-redis.ts';
export { scriptRunner } from './script-runner.ts';
