// In a service's image: a RabbitMQ user for each service, with rights to its own messages only (docs/operations.md).
//   node make-broker-users.mjs FOLDER amqps://HOST:PORT[/VHOST]
// FOLDER/definitions.json is for `rabbitmqctl import_definitions`, FOLDER/<service>.env has AMQP_URL and AMQP_TOPOLOGY of each service.
// Passwords are kept in FOLDER/passwords.json: run it again with every version, and import what it writes.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokerDefinitions } from '@parley/kit/amqp';

const SERVICES = ['gateway', 'assistants', 'telephony', 'campaigns', 'webhooks'];
const PREFIX = process.env.AMQP_PREFIX || 'parley';

const [folder, server] = process.argv.slice(2);
if (!folder || !server || !URL.canParse(server)) {
  console.error('usage: make-broker-users.mjs FOLDER amqps://HOST:PORT[/VHOST]');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const path = join(folder, 'passwords.json');
const kept = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
const made = SERVICES.map((service) => [service, { password: random(24), salt: random(4) }]);
const passwords = { ...Object.fromEntries(made), ...kept };
write('passwords.json', `${JSON.stringify(passwords, null, 2)}\n`);

const { pathname } = new URL(server);
const vhost = pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : '/';
const withSalts = SERVICES.map((service) => {
  const { password, salt } = passwords[service];
  return [service, { password, salt: Buffer.from(salt, 'base64url') }];
});
const definitions = brokerDefinitions({ prefix: PREFIX, vhost, passwords: Object.fromEntries(withSalts) });
write('definitions.json', `${JSON.stringify(definitions, null, 2)}\n`);
for (const service of SERVICES) {
  const url = new URL(server);
  url.username = `${PREFIX}-${service}`;
  url.password = passwords[service].password;
  write(`${service}.env`, `AMQP_URL=${url.href}\nAMQP_TOPOLOGY=provided\n`);
}

function random(bytes) {
  return randomBytes(bytes).toString('base64url');
}

/** Renamed into place, so a run that dies leaves no partial file. */
function write(name, text) {
  const draft = join(folder, `.${name}.tmp`);
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, join(folder, name));
}
