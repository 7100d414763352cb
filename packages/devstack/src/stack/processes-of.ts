import { bundleOf } from '../build/service-bundles.ts';
import type { Environment } from './environment.ts';
import { compiledEntry, entriesOf } from './folders.ts';
import type { ServiceName } from './services.ts';

export type ServiceProcess = { name: string; main: string; env: Environment };

/** The processes of a service, each of one bundled file. Those after the first only serve probes, on a random port. */
export function processesOf(service: ServiceName, env: Environment): ServiceProcess[] {
  return entriesOf(service).map((entry, index) => ({
    name: index === 0 ? service : `${service}-${entry}`,
    main: bundleOf(compiledEntry(service, entry)),
    env: index === 0 ? env : { ...env, PORT: '0' },
  }));
}
