import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '@parley/devstack';
import { schemaProblems, unknownFields } from './check-objects.ts';
import { build, kustomizeCommand, type Manifest, ofKind } from './kustomize.ts';
import { selects } from './objects.ts';

const kustomized = kustomizeCommand() ? describe : describe.skip;

kustomized('k8s: production with the SIP edge', () => {
  const objects = kustomizeCommand() ? build('production', ['sip-edge', 'monitoring']) : [];
  const named = (kind: string, name: string): Manifest | undefined =>
    ofKind(objects, kind).find(({ metadata }) => metadata.name === name);
  const edge = named('StatefulSet', 'parley-sip-edge');
  const labels = edge?.spec.template.metadata.labels ?? {};

  it('has objects that are valid for their published schemas, without unknown fields', async () => {
    expect(await schemaProblems(objects)).toEqual([]);
    expect(unknownFields(objects)).toBe('');
  });

  it('runs Kamailio as the strictest Pod Security Standard demands, probed and limited', () => {
    const pod = edge?.spec.template.spec;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(pod.hostNetwork).toBeUndefined();
    const [container] = pod.containers;
    expect(container).toMatchObject({
      image: expect.stringMatching(/^parley\.invalid\/sip-edge:/),
      livenessProbe: { httpGet: { path: '/healthz', port: 'internal' } },
      readinessProbe: { httpGet: { path: '/healthz', port: 'internal' } },
      resources: {
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
  });

  it('shows carriers SIP alone, with their own address, and workers the internal listener [sip.31]', () => {
    const outside = named('Service', 'parley-sip');
    expect(outside?.spec).toMatchObject({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    // A response has to come to the edge that sent the request.
    expect(outside?.spec.selector['statefulset.kubernetes.io/pod-name']).toBe('parley-sip-edge-0');
    expect(outside?.spec.ports.map(({ port }: Manifest) => port)).toEqual([5_060, 5_060, 5_061]);
    for (const service of [outside, named('Service', 'parley-sip-edge')]) {
      const spec = { podSelector: { matchLabels: service?.spec.selector } };
      const first = { ...labels, 'statefulset.kubernetes.io/pod-name': 'parley-sip-edge-0' };
      expect(selects({ spec }, first)).toBe(true);
    }
    const policies = ofKind(objects, 'NetworkPolicy').filter((it) => selects(it, labels));
    const open = policies.flatMap(({ spec }) => spec.ingress ?? []).filter(({ from }) => !from);
    expect(open.flatMap(({ ports }) => ports.map(({ port }: Manifest) => port))).toEqual([
      5_060, 5_060, 5_061,
    ]);
  });

  it('tells workers where the edge is, and lets them connect to it', () => {
    const common = ofKind(objects, 'ConfigMap').find(({ metadata }) => /^parley-common/.test(metadata.name));
    const { SIP_EDGE_URL } = common?.data ?? {};
    const { hostname, port } = new URL(SIP_EDGE_URL);
    // Headless: its name resolves to all edges, and workers register at each.
    expect(named('Service', hostname)?.spec).toMatchObject({
      clusterIP: 'None',
      ports: [{ port: Number(port) }],
    });
    expect(edge?.spec.serviceName).toBe(hostname);
    const worker = named('Deployment', 'parley-telephony-worker')?.spec.template.metadata.labels;
    const egress = ofKind(objects, 'NetworkPolicy')
      .filter((it) => selects(it, worker))
      .flatMap(({ spec }) => spec.egress ?? []);
    expect(JSON.stringify(egress)).toContain('5066');
  });
});

kustomized('k8s: the SIP edge in operation', () => {
  const objects = kustomizeCommand() ? build('production', ['sip-edge', 'monitoring']) : [];
  const labels = { 'app.kubernetes.io/name': 'sip-edge' };

  it('is drained one by one, with time for calls that ring', () => {
    const budgets = ofKind(objects, 'PodDisruptionBudget').filter((it) => selects(it, labels));
    expect(budgets.map(({ spec }) => spec.maxUnavailable)).toEqual([1]);
    const [edge] = ofKind(objects, 'StatefulSet');
    const pod = edge?.spec.template.spec;
    const [, seconds] = pod.containers[0].lifecycle.preStop.exec.command;
    expect(Number(seconds) + 10).toBeLessThan(pod.terminationGracePeriodSeconds);
  });

  it('is scraped by Prometheus, which its network policies let in', () => {
    const monitor = ofKind(objects, 'PodMonitor').find(({ metadata }) => metadata.name === 'parley-sip-edge');
    expect(selects(monitor ?? {}, labels)).toBe(true);
    expect(monitor?.spec.podMetricsEndpoints).toMatchObject([{ port: 'internal', path: '/metrics' }]);
    const ports = ofKind(objects, 'NetworkPolicy')
      .filter((it) => selects(it, labels))
      .flatMap(({ spec }) => spec.ingress ?? [])
      .filter(({ from }) => JSON.stringify(from ?? '').includes('monitoring'))
      .flatMap((rule) => rule.ports.map(({ port }: Manifest) => port));
    expect(ports).toEqual([5_066]);
  });
});

describe('the image of the SIP edge', () => {
  it('runs as a numeric user, and pulls nothing but Debian', () => {
    const dockerfile = readFileSync(join(ROOT, 'packages/sip-edge/Dockerfile'), 'utf8');
    expect(dockerfile.match(/^USER 1000:1000$/gm)).toHaveLength(2);
    expect(dockerfile.match(/^HEALTHCHECK .* CMD \["sh", .*"check"\]$/gm)).toHaveLength(2);
    expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)).toEqual([
      `\${DEBIAN_IMAGE}`,
      `\${DEBIAN_IMAGE}`,
    ]);
  });
});
