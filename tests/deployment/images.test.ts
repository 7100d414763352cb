import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, SERVICES } from '@parley/devstack';
import { parse } from 'yaml';
import { build, kustomizeCommand, type Manifest } from './kustomize.ts';
import { deployments, VARIANTS } from './objects.ts';

const kustomized = kustomizeCommand() ? it : it.skip;
/** What `pnpm deploy` copies of a package is what `npm pack` would: both follow `files`. */
const DASHBOARD = '@parley/dashboard';
/** What browsers load, also compressed. */
const BUILT = /^dist\/[\w./-]+\.(js|css|html|svg|json|woff2)(\.br|\.gz)?$/;
const BELONGS =
  /^(package\.json|README\.md|LICENSE|dist\/(?!.*\.test\.).+\.(js|d\.ts|map|wasm)|prisma\/migrations\/(\d{14}_\w+\/migration\.sql|migration_lock\.toml))$/;
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const compose: Manifest = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
/** A name that a registry could have would be pulled from there if the image was not built. */
const OURS = new RegExp(`^parley\\.invalid/(${SERVICES.join('|')})(:[\\w.]+)?$`);

/** The services and, transitively, the packages of ours that run in them. */
function deployedFolders(): string[] {
  const found = new Set(SERVICES.map((name) => `services/${name}`));
  for (const folder of found) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies))
      if (name.startsWith('@parley/')) found.add(name.replace('@parley', 'packages'));
  }
  return [...found];
}

/** What npm reads to choose files: their names, and these. */
const READ_BY_NPM = /^(package\.json|\.npmignore|\.gitignore)$/;

/** A copy with empty files: npm compresses all that it lists, which is a hundred megabytes here. */
function copyNames(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name !== 'node_modules') copyNames(source, target);
    else if (entry.isFile() && READ_BY_NPM.test(entry.name)) copyFileSync(source, target);
    else if (entry.isFile()) writeFileSync(target, '');
  }
}

const isRule = (line: string): boolean => line.trim() !== '' && !line.startsWith('#');

/** A rule of .dockerignore, of which the last one that matches a path or a folder of it decides. */
function toRule(line: string): { includes: boolean; matches: (path: string) => boolean } {
  const pattern = line
    .replace(/^!/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/\*\*\/|\*/g, (wild) => (wild === '*' ? '[^/]*' : '(.*/)?'));
  const expression = new RegExp(`^${pattern}$`);
  return { includes: line.startsWith('!'), matches: (path) => expression.test(path) };
}

describe('images', () => {
  it('contain compiled code and migrations: no sources, tests or keys', () => {
    const folders = deployedFolders();
    expect(folders).toEqual(expect.arrayContaining(['packages/kit', 'packages/media', 'packages/speech']));
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', ...folders.map((name) => `./${name}`)];
    const cwd = mkdtempSync(join(tmpdir(), 'parley-packed-'));
    for (const name of folders) copyNames(join(ROOT, name), join(cwd, name));
    const listed = execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    rmSync(cwd, { recursive: true });
    const packed: { name: string; files: { path: string }[] }[] = JSON.parse(listed);
    expect(packed).toHaveLength(folders.length);
    const strange = packed.flatMap(({ name, files }) =>
      files
        .filter(({ path }) => !BELONGS.test(path) && !(name === DASHBOARD && BUILT.test(path)))
        .map(({ path }) => `${name}/${path}`),
    );
    expect(strange).toEqual([]);
  });

  it('are built with the manifest of every package of the lock file: an installation of some is outdated', () => {
    const { importers } = parse(readFileSync(join(ROOT, 'pnpm-lock.yaml'), 'utf8'));
    const rules = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(isRule).map(toRule);
    const isSent = (path: string): boolean => {
      const folders = path.split('/').map((_, i, names) => names.slice(0, i + 1).join('/'));
      return rules.findLast(({ matches }) => folders.some(matches))?.includes ?? true;
    };
    const manifests = Object.keys(importers).map((folder) => join(folder, 'package.json'));
    expect(manifests).toContain('tests/bench/package.json');
    expect(manifests.filter((path) => !isSent(path))).toEqual([]);
    expect(['tests/erasure.test.ts', 'services/gateway/tests/harness.ts', '.env'].filter(isSent)).toEqual([]);
  });

  it('run as a numeric user, identify themselves, and pull nothing but their base image', () => {
    expect(dockerfile).toMatch(/^USER \d+:\d+$/m);
    expect(dockerfile).toMatch(/^EXPOSE \d+$/m);
    expect(dockerfile).not.toMatch(/^# *syntax *=/im);
    for (const label of ['title', 'licenses', 'version', 'revision', 'source']) {
      expect(dockerfile).toContain(`org.opencontainers.image.${label}=`);
    }
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(new Set(bases)).toEqual(new Set([`\${NODE_IMAGE}`]));
  });

  it('list their npm packages in a bill of materials', () => {
    const command = /^ +&& pnpm --filter "@parley\/\$\{SERVICE\}" sbom (.+) \\$/m.exec(dockerfile)?.[1] ?? '';
    expect(command.split(' --')).toEqual(
      expect.arrayContaining(['--prod', 'sbom-format cyclonedx', 'out /app/sbom.json']),
    );
  });

  it('have names in docker-compose.yml that no registry can have, are built once each, and are never pulled', () => {
    for (const name of SERVICES) {
      const [service, migration] = [compose.services[name], compose.services[`migrate-${name}`]];
      expect(service.image).toMatch(OURS);
      expect(service).toMatchObject({ pull_policy: 'build', build: { args: { SERVICE: name } } });
      expect(migration).toMatchObject({ image: service.image, pull_policy: 'never' });
      expect(migration.build).toBeUndefined();
    }
  });

  kustomized('have such names in k8s as well, until an operator gives them others', () => {
    for (const [, overlay, components] of VARIANTS) {
      for (const { spec } of deployments(build(overlay, components))) {
        const { initContainers, containers } = spec.template.spec;
        for (const { image } of [...initContainers, ...containers]) expect(image).toMatch(OURS);
      }
    }
  });
});
