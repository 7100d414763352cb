import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** For sessions, invitations and mailed links: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored form of a token; the kind is part of it, so that one kind never passes for another. */
export function hashToken(
  kind: 'session' | 'invitation' | 'recovery code' | 'mail' | 'sign-in link',
  token: string,
  pepper: string,
): string {
  return createHmac('sha256', pepper).update(`${kind} ${token}`).digest('hex');
}

/** Appended to the token in the mailed invitation only: presenting both proves access to the mailbox. */
export function mailedProofOf(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`mailed invitation ${token}`).digest('base64url');
}

/** Derived from the session's token, so that nothing is stored; it reveals nothing of the token. */
export function csrfTokenOf(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`csrf ${token}`).digest('base64url');
}

export function isSameToken(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
