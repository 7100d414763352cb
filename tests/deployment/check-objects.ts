import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@parley/devstack';
import type { Manifest } from './kustomize.ts';

type Model = new (object: Manifest) => { validate(): void };

/** Where the schema of a kind comes from, by its group. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  if (apiVersion.startsWith('keda.sh/')) return `@kubernetes-models/keda/${apiVersion}/${kind}`;
  if (apiVersion.startsWith('monitoring.coreos.com/'))
    return `@kubernetes-models/prometheus-operator/${apiVersion}/${kind}`;
  return `kubernetes-models/${apiVersion}/${kind}`;
}

const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** Violations of the published schemas of the objects' kinds: types, required fields, formats. Empty if there are none. */
export async function schemaProblems(objects: readonly Manifest[]): Promise<string[]> {
  const problems: string[] = [];
  for (const object of objects) {
    try {
      const model: Model = (await import(moduleOf(object)))[object.kind];
      new model(unfolded(object)).validate();
    } catch (err) {
      problems.push(`${nameOf(object)}: ${err instanceof Error ? err.message : String(err)}`);
    }
  }
  return problems;
}

/** Long values of secrets come in lines, which the API puts together. */
function unfolded(object: Manifest): Manifest {
  if (object.kind !== 'Secret') return object;
  const data = Object.entries<string>(object.data ?? {});
  return { ...object, data: Object.fromEntries(data.map(([key, value]) => [key, value.replace(/\s/g, '')])) };
}

/**
 * Fields that the API doesn't know, which it would refuse or silently drop: the objects as literals of their types, read by
 * the TypeScript compiler. Empty: there is none.
 */
export function unknownFields(objects: readonly Manifest[]): string {
  const folder = join(ROOT, 'tests/node_modules/.cache/manifests');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.pid}.ts`);
  const literals = objects.map((object) => {
    const type = `import('${moduleOf(object)}').I${object.kind}`;
    return `(${JSON.stringify(object)}) satisfies ${type}; // ${nameOf(object)}\n`;
  });
  writeFileSync(file, literals.join(''));
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig'];
  const modules = ['--module', 'nodenext', '--target', 'es2022', '--types', ''];
  try {
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), [...flags, ...modules, file], { encoding: 'utf8' });
    return '';
  } catch (err) {
    return (err as { stdout: string }).stdout;
  } finally {
    rmSync(file);
  }
}
