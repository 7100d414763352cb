import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, SERVICES } from '@parley/devstack';
import { parseConfig } from '@parley/kit/config';
import { DCLinter } from 'dclint';
import { parse } from 'yaml';
import type { Manifest } from './kustomize.ts';
import { madeSecrets } from './made-secrets.ts';

const file = join(ROOT, 'docker-compose.yml');
const compose: Manifest = parse(readFileSync(file, 'utf8'), { merge: true });

/** `${NAME:-default}` and `${NAME-default}`, as they read where nothing is set. */
const unset = (value: unknown): string => {
  const next = String(value).replace(/\$\{\w+:?-([^{}]*)\}/g, '$1');
  return next === value ? next : unset(next);
};

describe('docker-compose.yml', () => {
  it('is valid for the published schema, with unique services, ports and names', () => {
    const rules = {
      'no-duplicate-container-names': 2,
      'no-duplicate-exported-ports': 2,
      'no-unbound-port-interfaces': 2,
      'no-version-field': 2,
    } as const;
    const found: { messages: { rule: string }[] }[] = new DCLinter({
      rules,
      quiet: false,
      debug: false,
      exclude: [],
    }).lintFiles([file], false);
    const known = new Set([...Object.keys(rules), 'invalid-schema', 'invalid-yaml']);
    expect(found.flatMap(({ messages }) => messages).filter(({ rule }) => known.has(rule))).toEqual([]);
  });

  it('publishes every port at loopback only, since its passwords are public', () => {
    const ports = Object.values<Manifest>(compose.services).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThanOrEqual(4 + SERVICES.length);
    expect(ports.filter((port) => typeof port !== 'string' || !port.startsWith('127.0.0.1:'))).toEqual([]);
    const shared = Object.entries<Manifest>(compose.services).filter(([, it]) => it.network_mode === 'host');
    expect(shared).toEqual([]);
  });

  it('contains Postgres, Redis, RabbitMQ with its management, and for each service its processes and its migration [running.9]', () => {
    expect(Object.keys(compose.services).sort()).toEqual(
      [
        ...['postgres', 'redis', 'rabbitmq', 'secrets', 'sip-edge', 'rtpengine'],
        ...['telephony-worker', ...SERVICES.flatMap((name) => [name, `migrate-${name}`])],
      ].sort(),
    );
    expect(compose.services.rabbitmq.image).toContain('management');
    for (const name of ['postgres', 'redis', 'rabbitmq']) {
      expect(compose.services[name].healthcheck.test.length).toBeGreaterThan(0);
    }
  });

  it('restarts after a reboot, limits logs and memory, and gives up on a failing migration', () => {
    for (const [name, service] of Object.entries<Manifest>(compose.services)) {
      const isMigration = name.startsWith('migrate-') || name === 'secrets';
      expect([name, service.restart]).toEqual([name, isMigration ? 'on-failure:5' : 'unless-stopped']);
      expect(service.logging.options).toEqual({ 'max-size': '10m', 'max-file': '3' });
      expect(service.mem_limit).toEqual(expect.stringMatching(/^\d+[mg]$/));
    }
  });

  it('gives our containers no privileges and no writable paths except their volumes', () => {
    for (const name of [
      'secrets',
      'telephony-worker',
      ...SERVICES.flatMap((service) => [service, `migrate-${service}`]),
    ]) {
      expect(compose.services[name]).toMatchObject({
        init: true,
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it('starts SIP only with its profile, and its media beside it', () => {
    for (const name of ['sip-edge', 'rtpengine'])
      expect(compose.services[name]).toMatchObject({ profiles: ['sip'], read_only: true, cap_drop: ['ALL'] });
    const profiled = Object.values<Manifest>(compose.services).filter(({ profiles }) => profiles);
    expect(profiled).toHaveLength(2);
    // Both have a check in their image.
    const { 'sip-edge': edge, rtpengine } = compose.services;
    expect([edge.healthcheck, rtpengine.healthcheck]).toEqual([undefined, undefined]);
    // Kamailio looks up rtpengine's address only at its start.
    expect(edge.depends_on).toEqual({ rtpengine: { condition: 'service_healthy', restart: true } });
    expect(unset(edge.environment.EDGE_RTPENGINE)).toBe('udp:rtpengine:2223');
    const last = rtpengine.environment.RTPENGINE_PORT_MAX;
    expect(rtpengine.ports).toEqual([`127.0.0.1:30000-${last}:30000-${last}/udp`]);
  });

  it("gives telephony's workers the environment, volumes and dependencies of its API", () => {
    const { telephony, 'telephony-worker': worker } = compose.services;
    expect(worker.command.at(-1)).toBe('dist/worker.js');
    for (const key of ['image', 'environment', 'volumes', 'depends_on', 'stop_grace_period', 'extra_hosts'])
      expect(worker[key]).toEqual(telephony[key]);
    expect(worker.pull_policy).toBe('never');
  });

  it('lets webhooks and tools reach this machine by its name inside containers', () => {
    for (const name of ['assistants', 'telephony', 'webhooks']) {
      const { environment, extra_hosts } = compose.services[name];
      expect(unset(environment.OUTBOUND_ALLOW_HOSTS)).toBe('host.docker.internal');
      expect(extra_hosts).toContain('host.docker.internal:host-gateway');
    }
  });

  it.each(SERVICES)('%s starts after its dependencies, and stops within its timeout', (name) => {
    const service = compose.services[name];
    expect(service.depends_on).toMatchObject({
      [`migrate-${name}`]: { condition: 'service_completed_successfully' },
      rabbitmq: { condition: 'service_healthy' },
      secrets: { condition: 'service_completed_successfully' },
    });
    expect(compose.services[`migrate-${name}`].depends_on).toEqual({
      postgres: { condition: 'service_healthy' },
    });
    expect(service.stop_grace_period).toBe('35s');
    expect(service.build.args).toEqual({ SERVICE: name });
  });

  it.each(SERVICES)('%s can read its environment, and has no secret that it does not read', async (name) => {
    const { configSchema } = await import(`../../services/${name}/src/config.ts`);
    const given = Object.entries(compose.services[name].environment);
    const env = Object.fromEntries(given.map(([key, value]) => [key, unset(value)]));
    const secrets = madeSecrets(name);
    const { SECRETS_FILE, ...plain } = env;
    const set = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== ''));
    expect(() => parseConfig(configSchema, { ...secrets, ...set })).not.toThrow();
    expect(compose.services[name].volumes).toContain(`secrets-${name}:/run/parley:ro`);
    expect(compose.services.secrets.volumes).toContain(`secrets-${name}:/secrets/${name}`);
    expect(Object.keys(secrets).filter((key) => !(key in configSchema.shape))).toEqual([]);
    const unread = [
      'AMQP_URL',
      'ENCRYPTION_KEYS',
      'KEY_PEPPER',
      'RECORDING_URL_SECRET',
      'OPENAI_API_KEY',
      'REDIS_URL',
    ].filter((key) => key in env && !(key in configSchema.shape));
    expect(unread).toEqual([]);
  });

  it('publishes no secret of a service', () => {
    expect(readFileSync(file, 'utf8')).not.toContain('dev-only');
  });
});
