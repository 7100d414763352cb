import { describe, expect, it } from '@jest/globals';
import { AGENT_SCOPES } from './agent-scopes.ts';
import { publicEndpoints } from './endpoints/index.ts';

const byKey = publicEndpoints.filter(({ access }) => access === 'private' || access === 'widget');
const OF_PATHS = new Set(['assistant', 'tool', 'call', 'campaign']);

describe('keys that are restricted by agent_ids [trust.9]', () => {
  it('have a scope for every endpoint that accepts keys, and for no other', () => {
    expect(Object.keys(AGENT_SCOPES).sort()).toEqual(byKey.map(({ id }) => id).sort());
  });

  it('have scopes for a resource only where the path has an id', () => {
    for (const { id, path } of byKey)
      if (OF_PATHS.has(AGENT_SCOPES[id] ?? ''))
        expect([id, path]).toEqual([id, expect.stringContaining('/:id')]);
  });
});
