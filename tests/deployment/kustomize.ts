import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '@parley/devstack';
import { parseAllDocuments } from 'yaml';
import { makeLocalSecrets } from './made-secrets.ts';

/** An object of the Kubernetes API, parsed from YAML. */
// biome-ignore lint/suspicious/noExplicitAny: what a field holds is what is tested
export type Manifest = Record<string, any>;

const WAYS: readonly [string, string[]][] = [
  ['kubectl', ['kustomize']],
  ['kustomize', ['build']],
];

/** The command that builds a kustomization; undefined where none is installed. */
export function kustomizeCommand(): [string, string[]] | undefined {
  return WAYS.find(([program]) => {
    try {
      execFileSync(program, ['version', ...(program === 'kubectl' ? ['--client'] : [])], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/** The objects of an overlay, with these components added to it. */
export function build(overlay: string, components: readonly string[] = []): Manifest[] {
  if (overlay === 'local') makeLocalSecrets();
  const [program, args] = kustomizeCommand() ?? ['kubectl', ['kustomize']];
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-kustomize-')));
  const from = (part: string): string => relative(folder, join(realpathSync(ROOT), 'k8s', part));
  try {
    const lines = [
      `resources: [${from(`overlays/${overlay}`)}]`,
      `components: [${components.map((name) => from(`components/${name}`)).join(', ')}]`,
    ];
    writeFileSync(join(folder, 'kustomization.yaml'), lines.join('\n'));
    const text = execFileSync(program, [...args, folder], { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
    return parseAllDocuments(text).map((document) => document.toJS());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const ofKind = (objects: readonly Manifest[], kind: string): Manifest[] =>
  objects.filter((object) => object.kind === kind);
