// In a service's image: creates the secrets of all services once, and keeps them.
//   node make-secrets.mjs FOLDER                  FOLDER/<service>/env for each service; FOLDER/all stores all secrets
//   node make-secrets.mjs FOLDER --show SERVICE   prints the secrets of a service
//   node make-secrets.mjs --kubernetes FOLDER     FOLDER/<secret>.env for each Secret of Kubernetes
//   node make-secrets.mjs --key SERVICE           a new key between services, for a rotation (docs/operations.md)
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigningSeed, publicKeyOf } from '@parley/kit/secrets';

const SERVICES = ['gateway', 'assistants', 'telephony', 'campaigns', 'webhooks'];
/** The secrets of each service, besides the keys between services. */
const READS = {
  gateway: ['ENCRYPTION_KEYS', 'KEY_PEPPER'],
  assistants: ['ENCRYPTION_KEYS'],
  telephony: ['ENCRYPTION_KEYS', 'RECORDING_URL_SECRET'],
  campaigns: [],
  webhooks: [],
};

const [first = '', second = '', third = ''] = process.argv.slice(2);
if (first === '--key' && SERVICES.includes(second)) printKey(second);
else if (first === '--kubernetes' && second !== '') writeForKubernetes(second);
else if (!first.startsWith('-') && second === '--show' && SERVICES.includes(third)) show(first, third);
else if (first !== '' && !first.startsWith('-') && second === '') writeForServices(first);
else {
  console.error('usage: make-secrets.mjs FOLDER [--show SERVICE] | --kubernetes FOLDER | --key SERVICE');
  process.exit(2);
}

function writeForServices(folder) {
  const all = keptIn(join(folder, 'all'));
  for (const service of SERVICES) {
    // Only this service mounts the volume, so any user that the service runs as may read it.
    write(join(folder, service), 'env', toLines(ofService(all, service)), 0o444);
  }
}

function show(folder, service) {
  process.stdout.write(toLines(ofService(keptIn(join(folder, 'all')), service)));
}

function writeForKubernetes(folder) {
  const all = keptIn(folder);
  const { INTERNAL_VERIFY_KEYS } = ofService(all, 'gateway');
  const secrets = { common: { INTERNAL_VERIFY_KEYS }, encryption: { ENCRYPTION_KEYS: all.ENCRYPTION_KEYS } };
  for (const service of SERVICES) {
    const { INTERNAL_VERIFY_KEYS: _common, ENCRYPTION_KEYS: _encryption, ...own } = ofService(all, service);
    secrets[service] = own;
  }
  for (const [name, values] of Object.entries(secrets))
    write(folder, `parley-${name}.env`, toLines(values), 0o600);
}

function printKey(service) {
  const seed = newSigningSeed();
  console.log(`INTERNAL_SIGNING_KEYS  ${seed.toString('base64')}`);
  console.log(`INTERNAL_VERIFY_KEYS   ${service}:${publicKeyOf(seed).toString('base64')}`);
}

/** The stored secrets, with missing ones created. The file is renamed into place, so a run that dies leaves no partial file. */
function keptIn(folder) {
  const path = join(folder, 'secrets.json');
  const kept = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const all = { ...made(), ...kept };
  write(folder, 'secrets.json', `${JSON.stringify(all, null, 2)}\n`, 0o600);
  return all;
}

function made() {
  const signing = SERVICES.map((service) => [`${service}_SIGNING_KEY`, newSigningSeed().toString('base64')]);
  return {
    ...Object.fromEntries(signing),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    KEY_PEPPER: randomBytes(32).toString('base64url'),
    RECORDING_URL_SECRET: randomBytes(32).toString('base64url'),
  };
}

function ofService(all, service) {
  const verify = SERVICES.map((name) => {
    const seed = Buffer.from(all[`${name}_SIGNING_KEY`], 'base64');
    return `${name}:${publicKeyOf(seed).toString('base64')}`;
  });
  return {
    INTERNAL_SIGNING_KEYS: all[`${service}_SIGNING_KEY`],
    INTERNAL_VERIFY_KEYS: verify.join(','),
    ...Object.fromEntries(READS[service].map((name) => [name, all[name]])),
  };
}

function toLines(values) {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function write(folder, name, text, mode) {
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `.${name}.tmp`);
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, mode);
  renameSync(draft, join(folder, name));
}
