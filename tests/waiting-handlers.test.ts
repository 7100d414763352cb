import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { type AnyEndpoint, publicEndpoints } from '@parley/contracts';

const SERVICES = fileURLToPath(new URL('../services', import.meta.url));
const OWNERS = ['assistants', 'campaigns', 'telephony', 'webhooks'] as const;
/** A loop that sleeps, or a request to a server of the client's choice. */
const WAITS = /\brealSleep\(|\bsetTimeout\(|\boutbound\.send\(/;
const IMPORT = /import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'([^']+)'/g;

/** Names that a module imports, with their original names and the modules' paths. */
function importsOf(path: string): { name: string; original: string; from: string }[] {
  return [...readFileSync(path, 'utf8').matchAll(IMPORT)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== '')
      .map((name) => {
        const [original = '', alias = original] = name.split(' as ');
        return { name: alias, original, from: from.startsWith('.') ? resolve(dirname(path), from) : from };
      }),
  );
}

/** Modules that wait, among those that a module imports, also as types: a wait may be a dependency of its use case. */
function waitsBehind(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path) || path.includes('/generated/')) return [];
  seen.add(path);
  const own = WAITS.test(readFileSync(path, 'utf8')) ? [path] : [];
  const next = importsOf(path).filter(({ from }) => from.startsWith('/'));
  return [...own, ...next.flatMap(({ from }) => waitsBehind(from, seen))];
}

/** The public endpoints whose handlers wait, with the modules that do. */
function waitingHandlers(): { endpoint: AnyEndpoint; waits: string[] }[] {
  return OWNERS.flatMap((service) => {
    const src = join(SERVICES, service, 'src');
    const routes = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('routes.ts'))
      .map((path) => join(src, path));
    return routes.flatMap((path) => {
      const imports = importsOf(path);
      const mounted = readFileSync(path, 'utf8')
        .split(/\bmount\(\s*app,\s*/)
        .slice(1);
      return mounted.flatMap((text) => {
        const [, name] = /^(\w+)/.exec(text) ?? [];
        const id = imports.find((one) => one.name === name)?.original;
        const endpoint = publicEndpoints.find((one) => one.id === id);
        // The simulator is of development stacks only.
        if (!endpoint || endpoint.tag === 'Simulator') return [];
        const used = imports.filter(
          (one) => one.from.startsWith('/') && new RegExp(`\\b${one.name}\\b`).test(text),
        );
        const waits = used.flatMap(({ from }) => waitsBehind(from));
        return waits.length > 0 ? [{ endpoint, waits }] : [];
      });
    });
  });
}

describe('[trust.1] a handler that waits', () => {
  const waiting = waitingHandlers();

  it('is recognized: by what it, or a dependency of it, does', () => {
    const ids = waiting.map(({ endpoint }) => endpoint.id);
    expect(ids).toEqual(
      expect.arrayContaining([
        'fixTranscript',
        'stopCall',
        'offerWebCall',
        'streamAssistantTest',
        'testTool',
        'testWebhookEndpoint',
      ]),
    );
  });

  it('has connections of its own in the gateway, with a share for each workspace (`answersWithinMs`)', () => {
    const without = waiting.filter(({ endpoint }) => endpoint.answersWithinMs === undefined);
    expect(without.map(({ endpoint, waits }) => `${endpoint.id}: ${waits.join(', ')}`)).toEqual([]);
  });
});
