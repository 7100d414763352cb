import { createHmac, timingSafeEqual } from 'node:crypto';
import { isUuid } from '@parley/kit/ids';
import { z } from 'zod';

/** The call that a token admits to. */
export type CallAccess = { workspaceId: string; callId: string };

export type AccessTokens = {
  mint(access: CallAccess): string;
  /** Undefined for a token that we have not signed. Its validity depends on the call (`admit`). */
  read(token: string): CallAccess | undefined;
};

const claims = z.object({ w: z.string().refine(isUuid), c: z.string().refine(isUuid) });

/**
 * Tokens of web calls [web-calls.1]: signed with the first secret, each for one call; `admit` decides whether it is still valid. The same call always
 * has the same token, so it is stored nowhere; tokens of the other secrets are valid too.
 */
export function createAccessTokens(secrets: readonly string[]): AccessTokens {
  // Derived keys, so that other signatures with the secrets are not valid tokens.
  const keys = secrets.map((secret) =>
    createHmac('sha256', secret).update('access tokens of web calls').digest(),
  );
  const [current = Buffer.alloc(0)] = keys;
  const signatureOf = (key: Buffer, payload: string): string =>
    createHmac('sha256', key).update(payload).digest('base64url');
  return {
    mint: ({ workspaceId, callId }) => {
      const payload = Buffer.from(JSON.stringify({ w: workspaceId, c: callId })).toString('base64url');
      return `${payload}.${signatureOf(current, payload)}`;
    },
    read: (token) => {
      const [payload = '', signature = '', more] = token.split('.');
      // Compare the encoded text: a token has exactly one spelling.
      const given = Buffer.from(signature);
      const isOf = (key: Buffer): boolean => {
        const expected = Buffer.from(signatureOf(key, payload));
        return given.length === expected.length && timingSafeEqual(given, expected);
      };
      if (more !== undefined || !keys.some(isOf)) return;
      const { w: workspaceId, c: callId } = claims.parse(
        JSON.parse(Buffer.from(payload, 'base64url').toString()),
      );
      return { workspaceId, callId };
    },
  };
}
