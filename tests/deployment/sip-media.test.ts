import { describe, expect, it } from '@jest/globals';
import { schemaProblems, unknownFields } from './check-objects.ts';
import { build, kustomizeCommand, type Manifest, ofKind } from './kustomize.ts';
import { deployments, environmentOf, selects } from './objects.ts';

const kustomized = kustomizeCommand() ? describe : describe.skip;
const POD = ['sip-edge', 'rtpengine'];
const HOST = [...POD, 'rtpengine/host-network'];
const EDGE = { 'app.kubernetes.io/name': 'sip-edge' };
const RTPENGINE = { 'app.kubernetes.io/name': 'rtpengine' };
const NODES = '10.0.0.0/16';
const PRIVATE = '10.20.0.0/16';

const made = (components: string[]): Manifest[] =>
  kustomizeCommand() ? build('production', components) : [];
const named = (objects: Manifest[], kind: string, name: string): Manifest =>
  ofKind(objects, kind).find(({ metadata }) => metadata.name === name) ?? {};
const rules = (objects: Manifest[], way: 'ingress' | 'egress', labels: Record<string, string>): Manifest[] =>
  ofKind(objects, 'NetworkPolicy')
    .filter((policy) => selects(policy, labels))
    .flatMap(({ spec }) => spec[way] ?? []);
const portsOf = (found: Manifest[]): string[] =>
  found.flatMap(({ ports = [] }) =>
    ports.map(({ port, endPort = port, protocol = 'TCP' }: Manifest) => `${protocol} ${port}-${endPort}`),
  );
/** Where pods of these labels may send to, of pods with those. */
const toPods = (objects: Manifest[], from: Record<string, string>, to: Record<string, string>): Manifest[] =>
  rules(objects, 'egress', from).filter((rule) =>
    rule.to?.some((peer: Manifest) => {
      const spec = peer;
      return spec.podSelector && selects({ spec }, to);
    }),
  );

kustomized.each([
  ['as a pod', [...POD, 'private-carriers']],
  ["on a node's network", [...HOST, 'private-carriers']],
])('k8s: rtpengine beside the SIP edge, %s', (_, components) => {
  const objects = made(components);
  const rtpengine = named(objects, 'Deployment', 'parley-rtpengine').spec?.template;
  const worker = named(objects, 'Deployment', 'parley-telephony-worker').spec?.template.metadata.labels;
  const env = rtpengine ? environmentOf(rtpengine.spec.containers[0], objects) : {};
  const media = `UDP ${env.RTPENGINE_PORT_MIN}-${env.RTPENGINE_PORT_MAX}`;

  it('has objects that are valid for their published schemas, without unknown fields', async () => {
    expect(await schemaProblems(objects)).toEqual([]);
    expect(unknownFields(objects)).toBe('');
  });

  it('runs unprivileged, probed and limited, on ports that nodes do not use themselves', () => {
    const [container] = rtpengine.spec.containers;
    const exec = { command: ['sh', '/opt/sip-edge/rtpengine.sh', 'check'] };
    expect(rtpengine.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container).toMatchObject({
      image: expect.stringMatching(/^parley\.invalid\/rtpengine:/),
      ...{ startupProbe: { exec }, livenessProbe: { exec }, readinessProbe: { exec } },
      resources: { requests: { cpu: expect.any(String) }, limits: { memory: expect.any(String) } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
    // Those of Services, and of connections that nodes open.
    expect(Number(env.RTPENGINE_PORT_MAX)).toBeLessThan(30_000);
  });

  it('is known to the edge, which may use its control port, and nobody else', () => {
    const [container] = named(objects, 'StatefulSet', 'parley-sip-edge').spec.template.spec.containers;
    const [, host = '', port] = environmentOf(container, objects).EDGE_RTPENGINE?.split(':') ?? [];
    expect(named(objects, 'Service', host).spec).toMatchObject({
      selector: RTPENGINE,
      ports: [{ port: Number(port), targetPort: 'control', protocol: 'UDP' }],
    });
    expect(rtpengine.spec.containers[0].ports[0]).toMatchObject({ containerPort: Number(port) });
    expect(portsOf(toPods(objects, EDGE, RTPENGINE))).toEqual([`UDP ${port}-${port}`]);
    const control = rules(objects, 'ingress', RTPENGINE).filter((rule) =>
      portsOf([rule]).some((it) => it !== media),
    );
    expect(portsOf(control)).toEqual([`UDP ${port}-${port}`]);
    expect(control.flatMap(({ from }) => from)).toEqual([{ podSelector: { matchLabels: EDGE } }]);
  });

  it('takes audio of everyone, and exchanges it with workers and carriers', () => {
    const open = rules(objects, 'ingress', RTPENGINE).filter(({ from }) => !from);
    expect(portsOf(open)).toEqual([media]);
    expect(portsOf(toPods(objects, worker, RTPENGINE))).toEqual([media]);
    const rtp = portsOf(toPods(objects, RTPENGINE, worker));
    expect(rtp).toEqual(['UDP 10000-19999']);
    expect(portsOf(rules(objects, 'ingress', worker))).toEqual(expect.arrayContaining(rtp));
  });

  it('reaches a private carrier, as the edge and workers do, and webhooks do not', () => {
    const isAllowed = (labels: Record<string, string>): boolean =>
      JSON.stringify(rules(objects, 'egress', labels)).includes(`"cidr":"${PRIVATE}"`);
    expect([EDGE, RTPENGINE, worker].map(isAllowed)).toEqual([true, true, true]);
    const [edge] = named(objects, 'StatefulSet', 'parley-sip-edge').spec.template.spec.containers;
    expect(environmentOf(edge, objects).EDGE_PRIVATE).toBe(PRIVATE);
    const allowing = deployments(objects).filter(({ metadata, spec }) => {
      if (metadata.name === 'parley-rtpengine') return false;
      return environmentOf(spec.template.spec.containers[0], objects).OUTBOUND_ALLOW_CIDRS === PRIVATE;
    });
    expect(allowing.map(({ metadata }) => metadata.name).sort()).toEqual([
      'parley-telephony',
      'parley-telephony-worker',
    ]);
    const webhooks = named(objects, 'Deployment', 'parley-webhooks').spec.template.metadata.labels;
    expect(isAllowed(webhooks)).toBe(false);
  });
});

kustomized("k8s: rtpengine on a node's network", () => {
  const admits = (objects: Manifest[]): unknown =>
    named(objects, 'Namespace', 'parley').metadata?.labels['pod-security.kubernetes.io/enforce'];

  it('is the only reason for a namespace that admits such pods, and is reached at the nodes', () => {
    const [pod, host] = [made(POD), made(HOST)];
    expect([admits(pod), admits(host)]).toEqual(['restricted', 'privileged']);
    const hosted = [...deployments(host), ...ofKind(host, 'StatefulSet')].filter(
      ({ spec }) => spec.template.spec.hostNetwork,
    );
    expect(hosted.map(({ metadata }) => metadata.name)).toEqual(['parley-rtpengine']);
    const worker = named(host, 'Deployment', 'parley-telephony-worker').spec.template.metadata.labels;
    for (const labels of [EDGE, worker]) {
      const [rule] = toPods(host, labels, RTPENGINE);
      expect(rule?.to).toContainEqual({ ipBlock: { cidr: NODES } });
    }
    expect(JSON.stringify(pod)).not.toContain(`"${NODES}"`);
  });
});
