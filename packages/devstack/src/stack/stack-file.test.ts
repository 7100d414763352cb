import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ignoredSecrets, openStack } from './stack-file.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-stack-'));
  path = join(folder, 'stack.json');
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('openStack', () => {
  it('creates a name and secrets once, readable only by the owner', () => {
    const first = openStack(path, {});
    expect(first.name).toMatch(/^parley_[a-z0-9]{6}$/);
    expect(Buffer.from(first.ENCRYPTION_KEYS.slice('k1:'.length), 'base64')).toHaveLength(32);
    expect(openStack(path, {})).toEqual(first);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('adds secrets missing from an older version, and keeps all others, including unknown ones', () => {
    const { KEY_PEPPER, ...known } = openStack(path, {});
    const other = { ...known, SECRET_OF_ANOTHER_VERSION: 'x' };
    writeFileSync(path, JSON.stringify(other));
    const stack = openStack(path, {});
    expect(stack).toMatchObject(known);
    expect(stack.KEY_PEPPER).not.toBe(KEY_PEPPER);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ ...other, KEY_PEPPER: stack.KEY_PEPPER });
    expect(openStack(path, {})).toEqual(stack);
  });

  it('lets STACK_NAME override the name for one run', () => {
    const { name } = openStack(path, {});
    expect(openStack(path, { STACK_NAME: 'other' }).name).toBe('other');
    expect(openStack(path, {}).name).toBe(name);
  });

  it('refuses an invalid database name', () => {
    expect(() => openStack(path, { STACK_NAME: 'My Stack' })).toThrow('STACK_NAME');
  });

  it('explains how to repair a broken file', () => {
    writeFileSync(path, '{');
    expect(() => openStack(path, {})).toThrow('Remove it and start again');
  });
});

describe('ignoredSecrets', () => {
  it('reports in one line which secrets of the shell are ignored', () => {
    const stack = openStack(path, {});
    expect(ignoredSecrets({ ENCRYPTION_KEYS: 'k9:other' }, stack)).toBe(
      '  ENCRYPTION_KEYS of the shell is ignored: the stack uses .stack/stack.json',
    );
    expect(ignoredSecrets({ ENCRYPTION_KEYS: 'k9:other', KEY_PEPPER: 'x' }, stack)).toContain(
      'ENCRYPTION_KEYS, KEY_PEPPER of the shell are',
    );
    expect(ignoredSecrets({ ENCRYPTION_KEYS: stack.ENCRYPTION_KEYS, KEY_PEPPER: '' }, stack)).toBeUndefined();
  });
});
