import { parseArgs } from 'node:util';
import { Problem } from '../terminal/problem.ts';
import { SERVICES, type ServiceName } from './services.ts';

/** The services of `--without`, which may be given several times or as a comma list. */
export function leftOut(args: string[]): ReadonlySet<ServiceName> {
  const { values } = readOptions(args);
  return new Set((values.without ?? []).flatMap((list) => list.split(',')).map(serviceNamed));
}

/** Whether the simulated humans speak and listen instead of writing [running.11]. */
export function isSpoken(args: string[]): boolean {
  return readOptions(args).values.spoken ?? false;
}

/** Whether SIP is reachable: `--sip`, or `SIP=on` [sip.39]. */
export function wantsSip(args: string[], env: NodeJS.ProcessEnv): boolean {
  return readOptions(args).values.sip ?? /^(on|yes|1|true)$/i.test(env.SIP ?? '');
}

/** usage.mjs refuses unknown options, and explains these. */
function readOptions(args: string[]) {
  return parseArgs({
    args,
    options: {
      without: { type: 'string', multiple: true },
      spoken: { type: 'boolean' },
      sip: { type: 'boolean' },
    },
  });
}

/** The service with this name; throws a `Problem` that lists all services otherwise. */
export function serviceNamed(name: string | undefined): ServiceName {
  const found = SERVICES.find((service) => service === name?.trim());
  if (found) return found;
  throw new Problem(`There is no service "${name ?? ''}". The services are: ${SERVICES.join(', ')}`);
}
