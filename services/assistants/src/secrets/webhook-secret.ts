import { parseUrl, type SigningSecret } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import { maskSecret, type SecretBox, SecretError } from '@parley/kit/secrets';

/** Same as for workspace secrets [webhooks.7]; stack time. */
const ROTATION_MS = 24 * 3_600_000;

/** Context of encryption: a ciphertext that is moved elsewhere cannot be decrypted. */
export const assistantSecretPlace = (assistantId: string): string =>
  `assistants:webhook_secret:${assistantId}`;
export const toolSecretPlace = (toolId: string): string => `tools:webhook_secret:${toolId}`;

type Change = {
  /** The stored secret. */
  sealed: string | null;
  place: string;
  sent: string | null | undefined;
  /** The receiver's scheme, host or port changes: the stored secret must not sign there [trust.11]. */
  moves: boolean;
  /** Field of the receiver's URL, for error messages. */
  urlField: string;
  now: Date;
};

/**
 * The encrypted secret after a change [webhooks.7]: undefined or masked keeps it, null removes it, a value replaces it and
 * keeps the previous one signing for 24 hours, unless the receiver moves. Throws `VALIDATION_FAILED` for a mask without a
 * stored secret, and if the receiver moves and the secret is not sent again.
 */
export function changeWebhookSecret(
  secrets: Pick<SecretBox, 'seal' | 'open'>,
  { sealed, place, sent, moves, urlField, now }: Change,
): string | null {
  if (sent === maskSecret && sealed === null) throw maskOfNothing();
  if (sent === undefined || sent === maskSecret) {
    if (moves && sealed !== null) throw mustBeSentAgain(urlField);
    return sealed;
  }
  if (sent === null) return null;
  const [current] = sealed === null || moves ? [] : openOrNone(secrets, sealed, place);
  if (current?.secret === sent) return sealed;
  const list: SigningSecret[] = [{ secret: sent, expires_at: null }];
  const expiresAt = new Date(now.getTime() + ROTATION_MS).toISOString();
  if (current) list.push({ secret: current.secret, expires_at: expiresAt });
  return secrets.seal(JSON.stringify(list), place);
}

/** The current one first; empty: the workspace secret signs. */
export function openWebhookSecrets(
  secrets: Pick<SecretBox, 'open'>,
  sealed: string | null,
  place: string,
): SigningSecret[] {
  return sealed === null ? [] : JSON.parse(secrets.open(sealed, place));
}

export const maskedWebhookSecretOf = (sealed: string | null): typeof maskSecret | null =>
  sealed === null ? null : maskSecret;

/** A secret whose encryption key is lost can still be replaced. */
function openOrNone(secrets: Pick<SecretBox, 'open'>, sealed: string, place: string): SigningSecret[] {
  try {
    return openWebhookSecrets(secrets, sealed, place);
  } catch (err) {
    if (err instanceof SecretError) return [];
    throw err;
  }
}

function maskOfNothing(): Error {
  const message = `webhook_secret must not be ${maskSecret}: there is no stored value`;
  return validationFailed([{ path: 'webhook_secret', code: 'not_allowed', message }]);
}

function mustBeSentAgain(urlField: string): Error {
  const message = `webhook_secret must be sent again, or null: ${urlField} has another scheme, host or port, where the stored one is not used`;
  return validationFailed([{ path: 'webhook_secret', code: 'required', message }]);
}

/** Whether two URLs have the same scheme, host and port. An unparsable URL equals only itself. */
export function isSameOrigin(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  const [left, right] = [originOf(one), originOf(other)];
  return left !== undefined && left === right;
}

function originOf(url: string | null): string | undefined {
  return url === null ? undefined : parseUrl(url)?.origin;
}
