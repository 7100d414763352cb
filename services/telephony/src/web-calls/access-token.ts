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
 * Tokens of web calls [web-calls.1]: signed, and valid for one call as long as it lives. The same call always has the same
 * token, so it is stored nowhere.
 */
export function createAccessTokens(secret: string): AccessTokens {
  // A separate key: other signatures with the secret are not tokens.
  const key = createHmac('sha256', secret).update('access tokens of web calls').digest();
  const signatureOf = (payload: string): string =>
    createHmac('sha256', key).update(payload).digest('base64url');
  return {
    mint: ({ workspaceId, callId }) => {
      const payload = Buffer.from(JSON.stringify({ w: workspaceId, c: callId })).toString('base64url');
      return `${payload}.${signatureOf(payload)}`;
    },
    read: (token) => {
      const [payload = '', signature = '', more] = token.split('.');
      // Compare the encoded text: a token has exactly one spelling.
      const given = Buffer.from(signature);
      const expected = Buffer.from(signatureOf(payload));
      if (more !== undefined || given.length !== expected.length || !timingSafeEqual(given, expected)) return;
      const { w: workspaceId, c: callId } = claims.parse(
        JSON.parse(Buffer.from(payload, 'base64url').toString()),
      );
      return { workspaceId, callId };
    },
  };
}
