import { describe, expect, it } from '@jest/globals';
import { build, kustomizeCommand, type Manifest, ofKind } from './kustomize.ts';
import { deployments, environmentOf, nameOf, selects, VARIANTS } from './objects.ts';

const kustomized = kustomizeCommand() ? describe : describe.skip;

kustomized.each(VARIANTS)('migrations in k8s: %s', (_, overlay, components) => {
  const objects = kustomizeCommand() ? build(overlay, components) : [];

  it('gives a migration the address of its database, and nothing else', () => {
    for (const job of ofKind(objects, 'Job')) {
      const env = environmentOf(job.spec.template.spec.containers[0], objects);
      expect(env).toEqual({ DATABASE_URL: expect.stringMatching(new RegExp(`/parley_${nameOf(job)}$`)) });
    }
  });

  it('lets a migration reach Postgres and names, and nothing else', () => {
    for (const { spec } of ofKind(objects, 'Job')) {
      const { labels } = spec.template.metadata;
      const policies = ofKind(objects, 'NetworkPolicy').filter((it) => selects(it, labels));
      const types = new Set(policies.flatMap((it) => it.spec.policyTypes));
      expect([...types].sort()).toEqual(['Egress', 'Ingress']);
      expect(policies.flatMap((it) => it.spec.ingress ?? [])).toEqual([]);
      const rules: Manifest[] = policies.flatMap((it) => it.spec.egress);
      for (const { to, ports } of rules) expect([to.length, ports.length]).not.toContain(0);
      expect(rules.flatMap(({ ports }) => ports.map(({ port }: Manifest) => port))).toEqual(
        expect.arrayContaining([53, 5432]),
      );
    }
  });

  it('begins nothing of a version before its own migration is applied', () => {
    for (const deployment of deployments(objects)) {
      const { initContainers, containers } = deployment.spec.template.spec;
      const [schema] = initContainers;
      expect(schema).toMatchObject({
        image: containers[0].image,
        command: ['node', 'migrate.mjs', '--wait'],
      });
      const { DATABASE_URL } = environmentOf(containers[0], objects);
      expect(environmentOf(schema, objects)).toEqual({ DATABASE_URL });
    }
  });
});
