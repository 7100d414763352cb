import { describe, expect, it } from '@jest/globals';
import { publicEndpoints } from '@parley/contracts';
import { parseConfig } from '@parley/kit/config';
import { schemaProblems, unknownFields } from './check-objects.ts';
import { build, kustomizeCommand, type Manifest, ofKind } from './kustomize.ts';
import { deployments, environmentOf, nameOf, RUNNING, selects, serviceOf, VARIANTS } from './objects.ts';
import { secretTemplates } from './secret-templates.ts';

// Without a cluster: the overlays are built as `kubectl apply -k` would, and every object is read. Where neither kubectl
// nor kustomize is installed there is nothing to build them with.
const kustomized = kustomizeCommand() ? describe : describe.skip;

kustomized.each(VARIANTS)('k8s: %s', (_, overlay, components) => {
  const objects = kustomizeCommand() ? build(overlay, components) : [];

  it('has objects that are valid for their published schemas, without unknown fields', async () => {
    expect(await schemaProblems(objects)).toEqual([]);
    expect(unknownFields(objects)).toBe('');
  });

  it('runs every service unprivileged, on a read-only file system', () => {
    expect(deployments(objects).map(nameOf).sort()).toEqual([...RUNNING].sort());
    for (const { spec } of deployments(objects)) {
      const pod = spec.template.spec;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        serviceAccountName: expect.stringMatching(/^parley-/),
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
        expect(container).toMatchObject(CONFINED);
      }
    }
    for (const account of ofKind(objects, 'ServiceAccount'))
      expect(account.automountServiceAccountToken).toBe(false);
  });

  it('probes every service on its probe port, and stops it after it has finished its work', () => {
    for (const deployment of deployments(objects)) {
      const pod = deployment.spec.template.spec;
      const [container] = pod.containers;
      const port = nameOf(deployment) === 'gateway' ? 'internal' : 'http';
      expect(container.startupProbe.httpGet).toEqual({ path: '/healthz', port });
      expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port });
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port });
      expect(container.ports.map(({ name }: Manifest) => name)).toContain(port);
      const { STOP_DRAIN_MS, STOP_DEADLINE_MS = '30000' } = environmentOf(container, objects);
      expect(Number(STOP_DRAIN_MS)).toBeGreaterThanOrEqual(5_000);
      expect(Number(STOP_DEADLINE_MS)).toBeGreaterThanOrEqual(Number(STOP_DRAIN_MS) + 15_000);
      expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(Number(STOP_DEADLINE_MS));
      expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    }
  });

  it("reads a service's own secret after the broker's, so that its own user of the broker is used", () => {
    for (const deployment of deployments(objects)) {
      const [container] = deployment.spec.template.spec.containers;
      const names: string[] = container.envFrom.map(({ secretRef }: Manifest) => secretRef?.name ?? '');
      const at = (name: string): number => names.findIndex((one) => one.startsWith(name));
      expect(at('parley-broker')).toBeGreaterThan(0);
      expect(at(`parley-${serviceOf(nameOf(deployment))}`)).toBeGreaterThan(at('parley-broker'));
    }
  });

  it('gives every service a disruption budget, a service account, a policy and one autoscaler', () => {
    for (const deployment of deployments(objects)) {
      const { name } = deployment.metadata;
      const { labels } = deployment.spec.template.metadata;
      const budgets = ofKind(objects, 'PodDisruptionBudget').filter((it) => selects(it, labels));
      expect(budgets).toHaveLength(1);
      const scalers = [...ofKind(objects, 'HorizontalPodAutoscaler'), ...ofKind(objects, 'ScaledObject')];
      expect(scalers.filter(({ spec }) => spec.scaleTargetRef.name === name)).toHaveLength(1);
      const policies = ofKind(objects, 'NetworkPolicy').filter((it) => selects(it, labels));
      expect(policies.flatMap(({ spec }) => spec.policyTypes)).toEqual(
        expect.arrayContaining(['Ingress', 'Egress']),
      );
    }
  });

  it("lets only the services that need it reach the internet, and no private network except the platform's servers", () => {
    const world: string[] = [];
    for (const deployment of deployments(objects)) {
      const { labels } = deployment.spec.template.metadata;
      const rules = ofKind(objects, 'NetworkPolicy')
        .filter((it) => selects(it, labels))
        .flatMap(({ spec }) => spec.egress ?? []);
      // A rule without a destination, or with an unlimited one, would allow all outgoing traffic.
      for (const { to } of rules) expect(to.length).toBeGreaterThan(0);
      const blocks: Manifest[] = rules.flatMap(({ to, ports }) =>
        to.flatMap(({ ipBlock }: Manifest) => (ipBlock ? [{ ...ipBlock, ports }] : [])),
      );
      const open = blocks.filter(({ ports }) => !ports);
      if (open.length > 0) world.push(nameOf(deployment));
      for (const { cidr, except } of open) {
        if (cidr === '0.0.0.0/0') expect(except).toEqual(expect.arrayContaining(PRIVATE));
        else expect(cidr).toBe('2000::/3');
      }
      for (const { cidr, ports } of blocks.filter((it) => it.ports)) {
        const known = [5432, 6379, 5671, 5672, 4318];
        for (const { port } of ports) expect(cidr === NODE_LOCAL_DNS ? [53] : known).toContain(port);
      }
    }
    expect(world.sort()).toEqual(['gateway', 'telephony', 'telephony-worker', 'webhooks']);
  });

  it.each(RUNNING)('%s can read its environment, and has no secret that it does not read', async (name) => {
    const deployment = deployments(objects).find((it) => nameOf(it) === name);
    const env = environmentOf(deployment?.spec.template.spec.containers[0], objects);
    const { configSchema } = await import(`../../services/${serviceOf(name)}/src/config.ts`);
    expect(() => parseConfig(configSchema, env)).not.toThrow();
    const secrets = ofKind(objects, 'Secret').length > 0 ? ofKind(objects, 'Secret') : secretTemplates();
    const names = new Set(secrets.flatMap(({ data, stringData }) => Object.keys({ ...data, ...stringData })));
    const unread = Object.keys(env).filter((key) => names.has(key) && !(key in configSchema.shape));
    expect(unread).toEqual([]);
  });

  it('lets the ingress wait as long as a response may take', () => {
    const [ingress] = ofKind(objects, 'Ingress');
    const waits = publicEndpoints.map(({ answersWithinMs = 0 }) => answersWithinMs);
    const seconds = Number(ingress?.metadata.annotations['nginx.ingress.kubernetes.io/proxy-read-timeout']);
    expect(seconds * 1_000).toBeGreaterThan(Math.max(...waits));
  });
});

const CONFINED = {
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  resources: {
    requests: { cpu: expect.any(String), memory: expect.any(String) },
    limits: { memory: expect.any(String) },
  },
};

const NODE_LOCAL_DNS = '169.254.20.10/32';

const PRIVATE = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.64.0.0/10',
];
