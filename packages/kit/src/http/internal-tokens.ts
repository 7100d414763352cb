import { createHash, type KeyObject, sign as signWith, verify as verifyWith } from 'node:crypto';
import { CALLERS, type ServiceName } from '@parley/contracts';
import { z } from 'zod';
import { createCache } from '../cache/index.ts';
import { ConfigError, type VerifyKey } from '../config/index.ts';
import { AppError } from '../errors/index.ts';
import { publicKeyOf, signingKeyOf, verifyKeyOf } from '../secrets/index.ts';
import { realNow } from '../time/index.ts';
import type { Auth } from './auth.ts';

/** The header between services; the gateway drops it from clients' requests. */
export const INTERNAL_TOKEN_HEADER = 'x-parley-internal';

const LIFETIME_SECONDS = 60;
/** Tokens with a longer lifetime are rejected. */
const MAX_LIFETIME_SECONDS = 90;
/** The clocks of two machines may differ by this much. */
const SKEW_SECONDS = 5;
/** How long a token is reused for requests with the same claims. */
const REUSE_MS = 10_000;
const MAX_CACHED = 10_000;

/** Must not depend on a single request, since tokens are reused. */
export type InternalClaims = Auth;

export type InternalTokens = {
  /** A token for `audience`, valid for 60 real seconds. */
  mint(audience: ServiceName, claims: InternalClaims): string;
  /** The claims; throws `401 UNAUTHORIZED` for a token that is missing, forged, expired or for another service. */
  verify(token: string | undefined): InternalClaims;
};

export type InternalTokenOptions = {
  /** The service that signs and verifies. */
  service: ServiceName;
  /** Its Ed25519 seeds: the first signs. */
  signingKeys: readonly Buffer[];
  /** The public keys of all services; those of services that never call this one are ignored. */
  verifyKeys: readonly VerifyKey[];
};

const payloadSchema = z.object({
  iss: z.string(),
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
  workspace_id: z.string(),
  actor: z.object({
    kind: z.enum(['key', 'public_key', 'member', 'service', 'operator']),
    id: z.string(),
    role: z.enum(['owner', 'admin', 'developer', 'viewer']).exactOptional(),
    email: z.string().exactOptional(),
    scope: z
      .object({
        readOnly: z.boolean().exactOptional(),
        agentIds: z.array(z.string()).exactOptional(),
        webCalls: z
          .object({
            maxLiveCalls: z.int(),
            maxDurationSeconds: z.int(),
            variables: z.array(z.string()).exactOptional(),
          })
          .exactOptional(),
      })
      .exactOptional(),
  }),
  address: z.string().exactOptional(),
});

type Verified = { claims: InternalClaims; iat: number; exp: number };

/**
 * Tokens between services: JWT signed with Ed25519 by a key of the calling service, for one audience [trust.15].
 * Signing takes 30 µs and verifying 90, so tokens with equal claims are reused for 10 seconds on both sides (ADR 40).
 * Throws a `ConfigError` when the public half of the signing key is not among the verification keys.
 */
export function createInternalTokens({
  service,
  signingKeys,
  verifyKeys,
}: InternalTokenOptions): InternalTokens {
  const signer = createSigner(service, signingKeys, verifyKeys);
  const verifiers = verifiersOf(service, verifyKeys);
  const minted = createCache<string, string>({ ttlMs: REUSE_MS, maxEntries: MAX_CACHED });
  const verified = createCache<string, Verified>({ ttlMs: REUSE_MS, maxEntries: MAX_CACHED });

  return {
    mint: (audience, { workspaceId, actor, address }) => {
      const claims = JSON.stringify({
        iss: service,
        aud: audience,
        workspace_id: workspaceId,
        actor,
        address,
      });
      return minted.getOrSet(claims, () => {
        const iat = nowSeconds();
        return signer(`{"iat":${iat},"exp":${iat + LIFETIME_SECONDS},${claims.slice(1)}`);
      });
    },

    verify: (token) => {
      if (token === undefined) throw rejection('missing');
      const { claims, iat, exp } = verified.getOrSet(token, () => readToken(token, service, verifiers));
      const now = nowSeconds();
      if (exp + SKEW_SECONDS < now) throw rejection('expired');
      if (iat - SKEW_SECONDS > now) throw rejection('issued in the future');
      return claims;
    },
  };
}

type Verifiers = ReadonlyMap<string, { issuer: ServiceName; key: KeyObject }>;

function createSigner(
  service: ServiceName,
  [seed]: readonly Buffer[],
  verifyKeys: readonly VerifyKey[],
): (payload: string) => string {
  if (!seed) throw new ConfigError(['INTERNAL_SIGNING_KEYS is required']);
  const key = signingKeyOf(seed);
  const raw = publicKeyOf(seed);
  if (!verifyKeys.some((known) => known.service === service && known.key.equals(raw))) {
    throw new ConfigError([
      `INTERNAL_VERIFY_KEYS must contain the public key of the first of INTERNAL_SIGNING_KEYS as ${service}:…`,
    ]);
  }
  const header = headerOf(raw);
  return (payload) => {
    const signed = `${header}.${Buffer.from(payload).toString('base64url')}`;
    return `${signed}.${signWith(null, Buffer.from(signed), key).toString('base64url')}`;
  };
}

/** Verifiers by the complete header: only the headers of known keys are accepted, so that a token can't choose its algorithm. */
function verifiersOf(service: ServiceName, verifyKeys: readonly VerifyKey[]): Verifiers {
  const callers = verifyKeys.filter((known) => CALLERS[service].includes(known.service));
  return new Map(
    callers.map(({ service: issuer, key }) => [headerOf(key), { issuer, key: verifyKeyOf(key) }]),
  );
}

function headerOf(publicKey: Buffer): string {
  const kid = createHash('sha256').update(publicKey).digest('base64url').slice(0, 12);
  return Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'JWT', kid })).toString('base64url');
}

function readToken(token: string, service: ServiceName, verifiers: Verifiers): Verified {
  const [header = '', body = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || signature === '') throw rejection('malformed');
  const verifier = verifiers.get(header);
  if (!verifier) throw rejection('signed by no service that may call this one');
  const signed = Buffer.from(`${header}.${body}`);
  if (!verifyWith(null, signed, verifier.key, Buffer.from(signature, 'base64url'))) throw rejection('forged');
  const payload = payloadSchema.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  const { iss, aud, iat, exp, workspace_id: workspaceId, ...others } = payload;
  if (iss !== verifier.issuer) throw rejection('issued in the name of another service');
  if (aud !== service) throw rejection('meant for another service');
  if (!(exp - iat <= MAX_LIFETIME_SECONDS)) throw rejection('valid for too long');
  // Only the gateway knows keys and members; other services act on their own behalf.
  if (iss !== 'gateway' && (others.actor.kind !== 'service' || others.actor.id !== iss)) {
    throw rejection('issued for an actor that its issuer cannot know');
  }
  return { claims: { workspaceId, ...others }, iat, exp };
}

function nowSeconds(): number {
  return Math.floor(realNow().getTime() / 1000);
}

function rejection(reason: string): AppError {
  return new AppError('UNAUTHORIZED', 'The request did not come through the gateway', {
    cause: new Error(`internal token ${reason}`),
  });
}
