export { brokerConfig, commonConfig, serviceConfig } from './common-config.ts';
export { ConfigError } from './config-error.ts';
export { parseConfig } from './parse-config.ts';
export {
  amqpUrl,
  cidrList,
  type EncryptionKey,
  encryptionKeys,
  flag,
  postgresUrl,
  redisUrl,
  url,
} from './shapes.ts';
