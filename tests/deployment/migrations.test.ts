import { describe, expect, it } from '@jest/globals';
import { build, kustomizeCommand, type Manifest, ofKind } from './kustomize.ts';
import { deployments, environmentOf, nameOf, selects, serviceOf, VARIANTS } from './objects.ts';

const kustomized = kustomizeCommand() ? describe : describe.skip;

kustomized.each(VARIANTS)('migrations in k8s: %s', (_, overlay, components) => {
  const objects = kustomizeCommand() ? build(overlay, components) : [];

  it('run before each pod, with the address of its database and no other secret', () => {
    for (const deployment of deployments(objects)) {
      const { initContainers, containers } = deployment.spec.template.spec;
      expect(initContainers).toHaveLength(1);
      const [migration] = initContainers;
      expect(migration).toMatchObject({ image: containers[0].image, command: ['node', 'migrate.mjs'] });
      const { DATABASE_URL, NODE_EXTRA_CA_CERTS } = environmentOf(containers[0], objects);
      expect(DATABASE_URL).toMatch(new RegExp(`/parley_${serviceOf(nameOf(deployment))}(\\?|$)`));
      expect(environmentOf(migration, objects)).toEqual({
        DATABASE_URL,
        ...(NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS } : {}),
      });
    }
  });

  it('leave nothing that must be deleted before the next version is applied', () => {
    expect(ofKind(objects, 'Job')).toEqual([]);
  });

  it('can reach Postgres and DNS', () => {
    for (const deployment of deployments(objects)) {
      const { labels } = deployment.spec.template.metadata;
      const policies = ofKind(objects, 'NetworkPolicy').filter((it) => selects(it, labels));
      const rules: Manifest[] = policies.flatMap((it) => it.spec.egress ?? []);
      const ports = rules.flatMap((rule) => (rule.ports ?? []).map(({ port }: Manifest) => port));
      expect(ports).toEqual(expect.arrayContaining([53, 5432]));
    }
  });
});
