import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PORTS, type EnvironmentInput, SERVICES, serviceEnvironments } from '@parley/devstack';
import { parseConfig } from '@parley/kit/config';

const input: EnvironmentInput = {
  stack: {
    name: 'parley_abc123',
    serverPassword: 'p',
    INTERNAL_KEYS: SERVICES.map((name) => `${name}:${Buffer.alloc(32, 1).toString('base64')}`).join(','),
    KEY_PEPPER: 'k'.repeat(32),
    ENCRYPTION_KEYS: `e:${Buffer.alloc(32).toString('base64')}`,
    RECORDING_URL_SECRET: 'r'.repeat(32),
  },
  urls: { postgres: 'postgres://u:p@h:5432/postgres?x=1', redis: 'redis://h', rabbitmq: 'amqp://h' },
  ports: { ...DEFAULT_PORTS, campaigns: 9003 },
  given: {},
  originMs: 1_000,
};

describe('serviceEnvironments', () => {
  it('gives each service its own database on the given server', () => {
    const { gateway, webhooks } = serviceEnvironments(input);
    expect(gateway.DATABASE_URL).toBe('postgres://u:p@h:5432/parley_abc123_gateway?x=1');
    expect(webhooks.DATABASE_URL).toBe('postgres://u:p@h:5432/parley_abc123_webhooks?x=1');
  });

  it.each(SERVICES)('%s reads what it is given, and needs nothing else', async (name) => {
    const { configSchema } = await import(`../../services/${name}/src/config.ts`);
    const environment = serviceEnvironments(input)[name];
    expect(() => parseConfig(configSchema, environment)).not.toThrow();
    // Every service has the addresses of all others.
    const own = Object.keys(environment).filter(
      (variable) => !/^[A-Z_]+(?<!PUBLIC|REDIS|AMQP|DATABASE)_URL$/.test(variable),
    );
    expect(Object.keys(configSchema.shape)).toEqual(expect.arrayContaining(own));
  });

  it('tells every service the addresses of the others', () => {
    const environments = serviceEnvironments(input);
    expect(environments.campaigns.PORT).toBe('9003');
    for (const environment of Object.values(environments)) {
      expect(environment).toMatchObject({
        CAMPAIGNS_URL: 'http://127.0.0.1:9003',
        GATEWAY_INTERNAL_URL: 'http://127.0.0.1:8090',
      });
    }
  });

  it('passes secrets only to the services that need them', () => {
    const { campaigns, telephony, gateway, webhooks } = serviceEnvironments(input);
    expect(campaigns).not.toHaveProperty('ENCRYPTION_KEYS');
    expect(webhooks).not.toHaveProperty('ENCRYPTION_KEYS');
    expect(telephony).not.toHaveProperty('KEY_PEPPER');
    expect(gateway).toMatchObject({ KEY_PEPPER: input.stack.KEY_PEPPER, REDIS_PREFIX: 'parley_abc123' });
  });

  it('allows clients on loopback, unless the operator says otherwise', () => {
    expect(serviceEnvironments(input).webhooks.OUTBOUND_ALLOW_CIDRS).toBe('127.0.0.0/8,::1/128');
    const strict = { ...input, given: { OUTBOUND_ALLOW_CIDRS: '' } };
    expect(serviceEnvironments(strict).webhooks.OUTBOUND_ALLOW_CIDRS).toBe('');
  });

  it('has one clock origin for a faster clock', () => {
    const fast = serviceEnvironments({ ...input, given: { CLOCK_RATE: '60' } });
    expect(fast.telephony).toMatchObject({ CLOCK_RATE: '60', CLOCK_ORIGIN_MS: '1000' });
    expect(fast.campaigns.CLOCK_ORIGIN_MS).toBe('1000');
    expect(serviceEnvironments(input).gateway).not.toHaveProperty('CLOCK_ORIGIN_MS');
  });
});
