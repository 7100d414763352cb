import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@parley/devstack';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './kustomize.ts';

/** What an operator would fill in, where the template leaves it open. */
const FILLED: Record<string, string> = {
  INTERNAL_SIGNING_KEYS: Buffer.alloc(32, 1).toString('base64'),
  INTERNAL_VERIFY_KEYS: `gateway:${Buffer.alloc(32, 2).toString('base64')}`,
  KEY_PEPPER: 'k'.repeat(32),
  RECORDING_URL_SECRET: 'r'.repeat(32),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

/** An address in the template, with a password of its own. */
const withPassword = (value: string): string => value.replace('user:password@', `user:${'p'.repeat(24)}@`);

/** The secrets of production as its template lists them, filled in. */
export function secretTemplates(): Manifest[] {
  const text = readFileSync(join(ROOT, 'k8s/overlays/production/secrets.template.yaml'), 'utf8');
  return parseAllDocuments(text).map((document) => {
    const secret: Manifest = document.toJS();
    const values = Object.entries<string | null>(secret.stringData);
    return {
      ...secret,
      stringData: Object.fromEntries(
        values.map(([key, value]) => [key, value === null ? FILLED[key] : withPassword(value)]),
      ),
    };
  });
}
