import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Environment } from '../../stack/environment.ts';
import type { ServiceName } from '../../stack/services.ts';
import { createBalancer } from './balancer.ts';
import { type Replicas, startReplicas } from './replicas.ts';

export type Deployment = { name: string; service: ServiceName; env: Environment; served: boolean };

/** As in the cluster: telephony's live half apart from its HTTP half. Nobody asks that anything but its health. */
const DEPLOYMENTS: readonly Deployment[] = [
  { name: 'gateway', service: 'gateway', env: {}, served: true },
  { name: 'assistants', service: 'assistants', env: {}, served: true },
  { name: 'telephony', service: 'telephony', env: { TELEPHONY_ROLE: 'http' }, served: true },
  { name: 'telephony-worker', service: 'telephony', env: { TELEPHONY_ROLE: 'worker' }, served: false },
  { name: 'campaigns', service: 'campaigns', env: {}, served: true },
  { name: 'webhooks', service: 'webhooks', env: {}, served: true },
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
  for (const { name, service, env: own, served } of DEPLOYMENTS) {
    const env = { ...environments[service], ...common, ...own };
    const doors = served ? [env.PORT, env.INTERNAL_PORT].filter((port) => port !== undefined) : [];
    const ways = await Promise.all(doors.map((port) => createBalancer(Number(port), lifecycle)));
    started.push(await startReplicas({ name, service, count, env, ways, folder, lifecycle }));
  }
  return started;
}
