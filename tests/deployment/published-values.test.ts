import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, SERVICES } from '@parley/devstack';
import { serviceConfig } from '@parley/kit/config';
import { parse, parseAllDocuments } from 'yaml';
import type { Manifest } from './kustomize.ts';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
/** `${NAME:-}` */
const VARIABLE = /^\$\{\w+:?[-+]\w*\}$/;
const SECRET_NAME = /SECRET|PASS|TOKEN|KEY|credential/i;

/** Whether a value of a variable contains a secret: in a URL, or in a field of a JSON list. */
function isSecret(value: string): boolean {
  if (URL.canParse(value) && new URL(value).password !== '') return true;
  if (!value.startsWith('[')) return false;
  const fields: [string, unknown][] = JSON.parse(value).flatMap(Object.entries);
  return fields.some(([name, field]) => SECRET_NAME.test(name) && field !== '');
}

/** The variables with secrets in what the repository publishes, and in .env.example also those marked SECRET. */
function published(): [string, string][] {
  const { services }: Manifest = parse(read('docker-compose.yml'), { merge: true });
  const variables = Object.values<Manifest>(services).flatMap(({ environment = {} }) =>
    Object.entries<string>(environment),
  );
  const ofCompose = variables.filter(([, value]) => isSecret(String(value)));
  // Of the servers themselves.
  const ofServers = variables
    .filter(([name, value]) => SECRET_NAME.test(name) && name !== 'SECRETS_FILE' && !VARIABLE.test(value))
    .map(([, value]): [string, string] => ['DATABASE_URL', `postgres://parley:${value}@postgres/parley`]);
  const examples = [...read('.env.example').matchAll(/(# SECRET.*\n(?:# .*\n)*)?#([A-Z][A-Z0-9_]+)=(.*)/g)];
  const ofExample = examples
    .filter(([, marked, , value = '']) => isSecret(value) || (marked && !/^(\[.*)?$/.test(value)))
    .map(([, , name = '', value = '']): [string, string] => [name, value]);
  const template = parseAllDocuments(read('k8s/overlays/production/secrets.template.yaml'));
  const ofTemplate = template
    .flatMap((document) => Object.entries<string | null>(document.toJS().stringData))
    .flatMap(([name, value]): [string, string][] =>
      value !== null && isSecret(value) ? [[name, value]] : [],
    );
  return [...ofCompose, ...ofServers, ...ofExample, ...ofTemplate];
}

const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '0.0.0.0',
  PORT: '8080',
  DATABASE_URL: 'postgres://parley:own@postgres/parley',
  INTERNAL_SIGNING_KEYS: Buffer.alloc(32, 1).toString('base64'),
  INTERNAL_VERIFY_KEYS: `gateway:${Buffer.alloc(32, 2).toString('base64')}`,
};

describe('published secrets [trust.16]', () => {
  it('are found in the files of the repository', () => {
    expect([...new Set(published().map(([name]) => name))].sort()).toEqual([
      'AMQP_URL',
      'DATABASE_URL',
      'SMTP_URL',
      'WEB_ICE_SERVERS',
    ]);
  });

  it.each(SERVICES)('are refused in production by %s, whatever variable they are in', async (service) => {
    const { configSchema } = await import(`../../services/${service}/src/config.ts`);
    const accepted = published().filter(([name, value]) => {
      const variable = configSchema.shape[name];
      if (!variable) return false;
      const parsed = serviceConfig({ [name]: variable }).safeParse({ ...PRODUCTION, [name]: value });
      return !parsed.error?.issues.some(
        ({ path, message }) => path[0] === name && message.includes('published'),
      );
    });
    expect(accepted).toEqual([]);
    expect(serviceConfig({}).safeParse(PRODUCTION).success).toBe(true);
  });
});
