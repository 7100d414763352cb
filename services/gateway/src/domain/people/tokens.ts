import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What opens a session or an invitation: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a token; a session's is never taken for an invitation's. */
export function hashToken(kind: 'session' | 'invitation', token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`${kind} ${token}`).digest('hex');
}

/** Follows from the session's cookie, so that nothing is stored, and tells nothing of it. */
export function csrfTokenOf(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`csrf ${token}`).digest('base64url');
}

export function isSameToken(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
