import { compiledEntry, type Environment, type ServiceName } from '@parley/devstack';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createBalancer } from './balancer.ts';
import { type Replicas, startReplicas } from './replicas.ts';

type Deployment = { name: string; service: ServiceName; main: string; served: boolean };

/** As in the cluster: one per process type. Telephony's workers serve only probes. */
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
  /** What all of them have besides. */
  common: Environment;
  folder: string;
  lifecycle: Lifecycle;
};

/** So many replicas of each part of the platform, behind the addresses by which the others know them. */
export async function startDeployments(options: Options): Promise<Replicas[]> {
  const { count, environments, common, folder, lifecycle } = options;
  const started: Replicas[] = [];
  for (const { name, service, main, served } of DEPLOYMENTS) {
    const env = { ...environments[service], ...common };
    const doors = served ? [env.PORT, env.INTERNAL_PORT].filter((port) => port !== undefined) : [];
    const ways = await Promise.all(doors.map((port) => createBalancer(Number(port), lifecycle)));
    started.push(await startReplicas({ name, main, count, env, ways, folder, lifecycle }));
  }
  return started;
}
