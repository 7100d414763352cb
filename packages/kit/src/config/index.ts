export { type BrokerConfig, brokerConfig, type CommonConfig, serviceConfig } from './common-config.ts';
export { ConfigError } from './config-error.ts';
export { signingKeys, type VerifyKey, verifyKeys } from './internal-keys.ts';
export { internalUrlsOf } from './internal-urls.ts';
export { jsonOrFile } from './json-or-file.ts';
export { parseConfig } from './parse-config.ts';
export {
  amqpUrl,
  cidrList,
  type EncryptionKey,
  encryptionKeys,
  flag,
  hostList,
  listItems,
  postgresUrl,
  redisUrl,
  url,
} from './shapes.ts';
