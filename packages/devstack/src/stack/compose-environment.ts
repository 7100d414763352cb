import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Environment } from './environment.ts';
import type { ServiceName } from './services.ts';

type Compose = { services: Record<string, { environment?: Record<string, string | number> }> };

/** The host names of the containers; from outside they are all at loopback. */
const IN_CONTAINERS =
  /(\/\/|@)(postgres|redis|rabbitmq|gateway|assistants|telephony|campaigns|webhooks)(?=[:/])/g;

/**
 * The environment of a service in docker-compose.yml, adapted to a process outside of the containers, whose ports are published at
 * loopback. It listens on every address, since the containers have to reach it.
 */
export function composeEnvironment(path: string, name: ServiceName, given: NodeJS.ProcessEnv): Environment {
  const { services } = parse(readFileSync(path, 'utf8'), { merge: true }) as Compose;
  const all = Object.entries(services[name]?.environment ?? {}).map(([key, value]) => {
    const text = substitute(String(value), given).replace(IN_CONTAINERS, '$1127.0.0.1');
    return [key, key === 'RECORDINGS_DIR' ? (given.RECORDINGS_DIR ?? '/tmp/parley-recordings') : text];
  });
  // An empty variable counts as absent; for an address list this means that nothing is allowed.
  const isSet = ([key, value]: string[]) => value !== '' || key === 'OUTBOUND_ALLOW_CIDRS';
  // The file is in a container's volume.
  return Object.fromEntries(all.filter((entry) => isSet(entry) && entry[0] !== 'SECRETS_FILE'));
}

/**
 * Resolves `${NAME:-default}`, `${NAME-default}` and `${NAME:+alternative}` from the innermost outwards: a default may contain another
 * variable.
 */
function substitute(value: string, given: NodeJS.ProcessEnv): string {
  const next = value.replace(
    /\$\{(\w+)(:?)([-+])([^{}]*)\}/g,
    (_, name: string, colon: string, operator: string, text: string) => {
      const found = given[name];
      const isMissing = found === undefined || (colon !== '' && found === '');
      if (operator === '+') return isMissing ? '' : text;
      return isMissing ? text : found;
    },
  );
  return next === value ? value : substitute(next, given);
}
