import { describe, expect, it } from '@jest/globals';
import { createAccessTokens } from './access-token.ts';

const access = {
  workspaceId: '00000000-0000-7000-8000-000000000001',
  callId: '00000000-0000-7000-8000-000000000002',
};

describe('access tokens of web calls [web-calls.1]', () => {
  const tokens = createAccessTokens(['s'.repeat(32)]);

  it('are bound to a call and its workspace', () => {
    expect(tokens.read(tokens.mint(access))).toEqual(access);
  });

  it('of a previous secret are valid; the first secret signs', () => {
    const replaced = createAccessTokens(['t'.repeat(32), 's'.repeat(32)]);
    expect(replaced.read(tokens.mint(access))).toEqual(access);
    expect(tokens.read(replaced.mint(access))).toBeUndefined();
  });

  it('are refused when they are forged, changed, truncated or of another secret', () => {
    const token = tokens.mint(access);
    const [payload = '', signature = ''] = token.split('.');
    const other = Buffer.from(JSON.stringify({ w: access.workspaceId, c: access.workspaceId }));
    for (const bad of [
      '',
      '.',
      payload,
      `${payload}.`,
      `.${signature}`,
      `${other.toString('base64url')}.${signature}`,
      `${token}.${signature}`,
      token.slice(0, -1),
      `${token.slice(0, 20)}\n${token.slice(20)}`,
      `${payload}.*${signature}`,
      createAccessTokens(['t'.repeat(32)]).mint(access),
    ]) {
      expect(tokens.read(bad)).toBeUndefined();
    }
  });
});
