import type { ErrorDetail } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import { maskSecret, type SecretBox } from '@parley/kit/secrets';
import type { Tool } from './tool.ts';

/** Context of encryption: a ciphertext that is moved elsewhere cannot be decrypted. */
export const telcoPlace = (toolId: string): string => `tools:telco_credentials:${toolId}`;

type TelcoAccount = { account_sid: string; auth_token: string };
type Saved = Pick<Tool, 'id' | 'sealedTelcoCredentials'>;
type Sent = { telco_account_sid?: string | null | undefined; telco_auth_token?: string | null | undefined };

export function openTelcoAccount(
  secrets: Pick<SecretBox, 'open'>,
  { id, sealedTelcoCredentials: sealed }: Saved,
): TelcoAccount | null {
  return sealed === null ? null : JSON.parse(secrets.open(sealed, telcoPlace(id)));
}

/**
 * The encrypted carrier account after a change: undefined or masked keeps a half, null removes it, a value replaces it.
 * Throws `VALIDATION_FAILED` unless both or neither result [tools.14] [tools.15].
 */
export function changeTelcoAccount(
  secrets: Pick<SecretBox, 'seal' | 'open'>,
  tool: Saved,
  { telco_account_sid: sid, telco_auth_token: token }: Sent,
): string | null {
  const masked = tool.sealedTelcoCredentials === null ? [...standsForNothing({ sid, token })] : [];
  if (masked.length > 0) throw validationFailed(masked);
  if (stays(sid) && stays(token)) return tool.sealedTelcoCredentials;
  const saved = stays(sid) || stays(token) ? openTelcoAccount(secrets, tool) : null;
  const account_sid = stays(sid) ? saved?.account_sid : sid;
  const auth_token = stays(token) ? saved?.auth_token : token;
  if (account_sid && auth_token) {
    return secrets.seal(JSON.stringify({ account_sid, auth_token }), telcoPlace(tool.id));
  }
  if (account_sid) throw validationFailed([otherHalf('telco_auth_token', 'telco_account_sid')]);
  if (auth_token) throw validationFailed([otherHalf('telco_account_sid', 'telco_auth_token')]);
  return null;
}

function stays(sent: string | null | undefined): sent is undefined | typeof maskSecret {
  return sent === undefined || sent === maskSecret;
}

function standsForNothing({ sid, token }: Record<'sid' | 'token', string | null | undefined>): ErrorDetail[] {
  const sent = { telco_account_sid: sid, telco_auth_token: token };
  return Object.entries(sent).flatMap(([path, value]) => {
    if (value !== maskSecret) return [];
    const message = `${path} must not be ${maskSecret}: there is no stored value`;
    return [{ path, code: 'not_allowed' as const, message }];
  });
}

function otherHalf(path: string, other: string): ErrorDetail {
  return { path, code: 'required', message: `${path} is required together with ${other}` };
}
