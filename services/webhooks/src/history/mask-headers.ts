import { maskSecret } from '@parley/kit/secrets';

/** Headers that carry credentials; a receiver's response may set some. */
const SECRET = /^(set-cookie2?|cookie|(proxy-)?authorization|.*(api-?key|token|secret|password).*)$/;

/** Masks values and keeps names [webhooks.19]. The webhook signature stays: it reveals nothing of its secret. */
export function maskHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET.test(name.toLowerCase()) ? maskSecret : value,
    ]),
  );
}
