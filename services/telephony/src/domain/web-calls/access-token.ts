import { createHmac, timingSafeEqual } from 'node:crypto';
import { isUuid } from '@parley/kit/ids';
import { z } from 'zod';

/** Whom a token lets in: one person, into one call. */
export type CallAccess = { workspaceId: string; callId: string };

export type AccessTokens = {
  mint(access: CallAccess): string;
  /** Undefined for a token that isn't ours. When it lets in is the call's to say. */
  read(token: string): CallAccess | undefined;
};

const claims = z.object({ w: z.string().refine(isUuid), c: z.string().refine(isUuid) });

/**
 * Tokens of web calls (D6.2): signed, and good for the one call that they name, whose life bounds theirs. The same call has
 * the same token, which therefore need not be kept anywhere.
 */
export function createAccessTokens(secret: string): AccessTokens {
  // A key of its own: what is signed with the secret elsewhere is no token.
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
      // The letters are compared: one token is not to be written in several ways.
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
