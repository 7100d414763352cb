import { type Manifest, ofKind } from './kustomize.ts';
import { secretTemplates } from './secret-templates.ts';

/** What is tested: its name, its overlay, and the components that are added to it. */
export const VARIANTS: [string, string, string[]][] = [
  ['local', 'local', []],
  ['local with monitoring', 'local', ['monitoring']],
  ['local with KEDA', 'local', ['keda']],
  ['production', 'production', []],
  ['production with a bucket', 'production', ['recordings-bucket']],
  ['production with monitoring, KEDA and an authority', 'production', ['monitoring', 'keda', 'private-ca']],
];
export const RUNNING = ['gateway', 'assistants', 'telephony', 'telephony-worker', 'campaigns', 'webhooks'];
/** Of the database of which service: the worker is telephony's other half. */
export const serviceOf = (name: string): string => name.replace('-worker', '');

export const nameOf = (object: Manifest): string => object.metadata.name.replace(/^parley-/, '');
export const deployments = (objects: Manifest[]): Manifest[] =>
  ofKind(objects, 'Deployment').filter(({ metadata }) => metadata.name.startsWith('parley-'));
export const selects = (policy: Manifest, labels: Record<string, string>): boolean => {
  const { matchLabels = {}, matchExpressions = [] } = policy.spec.podSelector ?? policy.spec.selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }: Manifest) => values.includes(labels[key]))
  );
};

/** The environment of a container: its own variables, and all of its config maps and secrets. */
export function environmentOf(container: Manifest, objects: Manifest[]): Record<string, string> {
  const held = (kind: string, name: string): Record<string, string> => {
    const found = [...ofKind(objects, kind), ...secretTemplates()].find((it) => it.metadata.name === name);
    if (!found) throw new Error(`there is no ${kind} ${name}`);
    const decode = (value: string) => Buffer.from(value, 'base64').toString();
    const data = Object.entries<string>(found.data ?? {});
    return {
      ...Object.fromEntries(data.map(([key, value]) => [key, kind === 'Secret' ? decode(value) : value])),
      ...found.stringData,
    };
  };
  const sources = (container.envFrom ?? []).map(({ configMapRef, secretRef }: Manifest) =>
    configMapRef ? held('ConfigMap', configMapRef.name) : held('Secret', secretRef.name),
  );
  const own = (container.env ?? []).map(({ name, value, valueFrom }: Manifest) => {
    const { secretKeyRef } = valueFrom ?? {};
    return [name, secretKeyRef ? held('Secret', secretKeyRef.name)[secretKeyRef.key] : value];
  });
  return Object.assign({}, ...sources, Object.fromEntries(own));
}
