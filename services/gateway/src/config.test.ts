import { expect, it } from '@jest/globals';
import { internalKeys } from '@parley/testkit';
import { configSchema } from './config.ts';

const URL_OF_A_SERVICE = 'http://127.0.0.1:9';
const ENVIRONMENT = {
  PORT: '0',
  DATABASE_URL: 'postgres://127.0.0.1/gateway',
  REDIS_URL: 'redis://127.0.0.1',
  AMQP_URL: 'amqp://127.0.0.1',
  ...internalKeys('internal-token-secret-of-the-tests', 'gateway'),
  KEY_PEPPER: 'pepper-of-the-tests-pepper-of-the-tests',
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  ASSISTANTS_URL: URL_OF_A_SERVICE,
  TELEPHONY_URL: URL_OF_A_SERVICE,
  CAMPAIGNS_URL: URL_OF_A_SERVICE,
  WEBHOOKS_URL: URL_OF_A_SERVICE,
};

it('mail requires PUBLIC_URL: no request determines where its links lead', () => {
  const mail = { ...ENVIRONMENT, SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'parley@example.org' };
  const { error } = configSchema.safeParse(mail);
  expect(error?.issues).toMatchObject([{ path: ['PUBLIC_URL'] }]);
  expect(configSchema.safeParse({ ...mail, PUBLIC_URL: 'https://parley.example.org' }).success).toBe(true);
  expect(configSchema.safeParse(ENVIRONMENT).success).toBe(true);
});

it.each([
  ['https://id.example.org', true],
  ['http://localhost:8080/realms/x', true],
  ['http://127.0.0.1', true],
  ['http://[::1]:9', true],
  ['http://id.example.org', false],
  ['http://localhost:x@id.example.org/', false],
  ['http://localhost.example.org/', false],
])('single sign-on uses plain http to this machine only: %s', (OIDC_ISSUER, isAllowed) => {
  const env = { ...ENVIRONMENT, OIDC_ISSUER, OIDC_CLIENT_ID: 'parley', OIDC_CLIENT_SECRET: 'secret' };
  expect(configSchema.safeParse(env).success).toBe(isAllowed);
});
