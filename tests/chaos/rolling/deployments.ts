import { compiledEntry, type Environment, type ServiceName } from '@parley/devstack';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createBalancer } from './balancer.ts';
import { type Replicas, startReplicas } from './replicas.ts';

type Deployment = { name: string; service: ServiceName; main: string; served: boolean };

/** One per process type, as in the cluster. Telephony's workers serve only probes. */
const DEPLOYMENTS: readonly Deployment[] = [
  { name: 'gateway', service: 'gateway', main: compiledEntry('gateway'), served: true },
  { name: 'assistants', service: 'assistants', main: compiledEntry('assistants'), served: true },
  { name: 'telephony', service: 'telephony', main: compiledEntry('telephony', 'api'), served: true },
  {
    name: 'telephony-worker',
    service: 'telephony',
    main: compiledEntry('telephony', 'worker'),
    served: false,
  },
  { name: 'campaigns', service: 'campaigns', main: compiledEntry('campaigns'), served: true },
  { name: 'webhooks', service: 'webhooks', main: compiledEntry('webhooks'), served: true },
];

type Options = {
  count: number;
  environments: Record<ServiceName, Environment>;
  /** Additional variables of all deployments. */
  common: Environment;
  folder: string;
  lifecycle: Lifecycle;
};

/** Starts `count` replicas of each deployment behind a balancer at the configured address. */
export async function startDeployments(options: Options): Promise<Replicas[]> {
  const { count, environments, common, folder, lifecycle } = options;
  const started: Replicas[] = [];
  for (const { name, service, main, served } of DEPLOYMENTS) {
    const env = { ...environments[service], ...common };
    const ports = served ? [env.PORT, env.INTERNAL_PORT].filter((port) => port !== undefined) : [];
    const balancers = await Promise.all(ports.map((port) => createBalancer(Number(port), lifecycle)));
    started.push(await startReplicas({ name, main, count, env, balancers, folder, lifecycle }));
  }
  return started;
}
