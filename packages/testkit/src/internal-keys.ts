import { createHash } from 'node:crypto';
import { SERVICES, type ServiceName } from '@parley/contracts';
import { createInternalTokens, type InternalTokens } from '@parley/kit/http';
import { publicKeyOf } from '@parley/kit/secrets';

/** The variables with which a service signs and verifies internal tokens; the keys of all services derive from `secret`. */
export function internalKeys(secret: string, service: ServiceName) {
  const verify = SERVICES.map((name) => `${name}:${publicKeyOf(seedOf(secret, name)).toString('base64')}`);
  return {
    INTERNAL_SIGNING_KEYS: seedOf(secret, service).toString('base64'),
    INTERNAL_VERIFY_KEYS: verify.join(','),
  };
}

/** Deriving the keys takes longer than a whole request does. */
const known = new Map<string, InternalTokens>();

/** The tokens of one service. */
export function internalTokens(secret: string, service: ServiceName): InternalTokens {
  const tokens = known.get(`${service} ${secret}`) ?? createTokens(secret, service);
  known.set(`${service} ${secret}`, tokens);
  return tokens;
}

function createTokens(secret: string, service: ServiceName): InternalTokens {
  return createInternalTokens({
    service,
    signingKeys: [seedOf(secret, service)],
    verifyKeys: SERVICES.map((name) => ({ service: name, key: publicKeyOf(seedOf(secret, name)) })),
  });
}

/** For a fake server of several services: accepts the tokens of any of them. */
export function internalTokensOfPeers(secret: string, services: readonly ServiceName[]): InternalTokens {
  const peers = services.map((name) => internalTokens(secret, name));
  return {
    mint: () => {
      throw new Error('a fake service does not call others');
    },
    verify: (token) => {
      const failures: unknown[] = [];
      for (const peer of peers) {
        try {
          return peer.verify(token);
        } catch (err) {
          failures.push(err);
        }
      }
      throw failures[0];
    },
  };
}

function seedOf(secret: string, service: ServiceName): Buffer {
  return createHash('sha256').update(`${secret} ${service}`).digest();
}
