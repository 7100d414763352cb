import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readChange, workspaceOf } from './read-change.ts';

const callId = randomUUID();
const workspaceId = randomUUID();
const change = { type: 'call', id: callId, what: 'ringing', at: '2026-03-14T09:26:53.589Z' };
const head = { id: randomUUID(), type: 'changes.noted', occurred_at: '2026-03-14T09:26:53.589Z' };
const bufferOf = (message: unknown) => Buffer.from(JSON.stringify(message));

describe('the workspace of a message [dashboard.6]', () => {
  it('is known before it is parsed', () => {
    const message = bufferOf({ ...head, workspace_id: workspaceId, data: { changes: [change], more: [] } });
    expect(workspaceOf(message)).toBe(workspaceId);
    expect(readChange(message)).toEqual({ workspaceId, changes: [change], more: [] });
  });

  it('is not looked for in its data, which may name others', () => {
    const data = { changes: [change], more: [], workspace_id: randomUUID() };
    const message = bufferOf({ ...head, data, workspace_id: workspaceId });
    expect(workspaceOf(message)).toBeUndefined();
    expect(readChange(message)).toMatchObject({ workspaceId });
  });
});
