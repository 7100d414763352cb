import { maskSecret } from '@parley/kit/secrets';

/** Headers by which somebody is let in: a receiver's answer may hand some out. */
const SECRET = /^(set-cookie2?|cookie|(proxy-)?authorization|.*(api-?key|token|secret|password).*)$/;

/** The names stay (D8.7). The signature is no secret: it tells nothing of what made it. */
export function maskHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET.test(name.toLowerCase()) ? maskSecret : value,
    ]),
  );
}
