import { sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SERVICES, type ServiceName } from '@parley/contracts';
import { newSigningSeed, publicKeyOf, signingKeyOf } from '../secrets/index.ts';
import { createInternalTokens } from './internal-tokens.ts';

const seeds = Object.fromEntries(SERVICES.map((name) => [name, newSigningSeed()])) as Record<
  ServiceName,
  Buffer
>;
const verifyKeys = SERVICES.map((service) => ({ service, key: publicKeyOf(seeds[service]) }));
const tokensOf = (service: ServiceName, signing = seeds[service], known = verifyKeys) =>
  createInternalTokens({ service, signingKeys: [signing], verifyKeys: known });

const CLAIMS = { workspaceId: 'w', actor: { kind: 'member', id: 'm', role: 'viewer' } } as const;
const SERVICE = { workspaceId: 'w', actor: { kind: 'service', id: 'campaigns' } } as const;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** The reason of a rejection, which is only logged. */
function problemOf(token: string | undefined, service: ServiceName = 'telephony'): string {
  try {
    tokensOf(service).verify(token);
  } catch (err) {
    return String((err as Error).cause);
  }
  return 'accepted';
}

/** A token with claims that `createInternalTokens` would never write. */
function forge(issuer: ServiceName, changes: object, key = seeds[issuer]): string {
  const [head = '', body = ''] = tokensOf(issuer).mint('telephony', CLAIMS).split('.');
  const payload = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), ...changes };
  const text = `${head}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return `${text}.${sign(null, Buffer.from(text), signingKeyOf(key)).toString('base64url')}`;
}

describe('internal tokens [trust.15]', () => {
  it('are accepted by the service that they name', () => {
    const token = tokensOf('gateway').mint('telephony', CLAIMS);
    expect(tokensOf('telephony').verify(token)).toEqual(CLAIMS);
  });

  it.each(SERVICES.filter((name) => name !== 'telephony'))(
    'are refused by %s, which they do not name',
    (other) => {
      const token = tokensOf('gateway').mint('telephony', CLAIMS);
      expect(problemOf(token, other)).toContain('meant for another service');
    },
  );

  it('are refused after 90 seconds, even if they were accepted before [trust.15]', () => {
    const token = tokensOf('gateway').mint('telephony', CLAIMS);
    const telephony = tokensOf('telephony');
    for (let second = 0; second < 60; second += 5) {
      telephony.verify(token);
      jest.advanceTimersByTime(5_000);
    }
    jest.advanceTimersByTime(6_000);
    expect(() => telephony.verify(token)).toThrow();
    expect(problemOf(token)).toContain('expired');
  });

  it('are replaced before they expire', () => {
    const [gateway, telephony] = [tokensOf('gateway'), tokensOf('telephony')];
    const first = gateway.mint('telephony', CLAIMS);
    expect(gateway.mint('telephony', CLAIMS)).toBe(first);
    expect(gateway.mint('campaigns', CLAIMS)).not.toBe(first);
    expect(gateway.mint('telephony', { ...CLAIMS, workspaceId: 'x' })).not.toBe(first);
    for (let second = 0; second < 300; second += 1) {
      jest.advanceTimersByTime(1_000);
      telephony.verify(gateway.mint('telephony', CLAIMS));
    }
  });

  it('are refused with a longer lifetime than allowed', () => {
    const iat = Math.floor(Date.now() / 1000);
    expect(problemOf(forge('gateway', { exp: iat + 91 }))).toContain('valid for too long');
    expect(problemOf(forge('gateway', { iat: iat + 30, exp: iat + 80 }))).toContain('in the future');
    expect(problemOf(forge('gateway', { exp: iat + 90 }))).toBe('accepted');
  });

  it('are refused with a foreign signature or a changed claim', () => {
    const token = tokensOf('gateway').mint('telephony', CLAIMS);
    const [head = '', body = '', signature = ''] = token.split('.');
    const changed = Buffer.from(String(Buffer.from(body, 'base64url')).replace('viewer', 'owner'));
    expect(problemOf(`${head}.${changed.toString('base64url')}.${signature}`)).toContain('forged');
    expect(problemOf(forge('gateway', {}, seeds.campaigns))).toContain('forged');
  });

  it.each([undefined, '', 'a.b.c', 'a.b', 'a.b.c.d'])('%j is refused', (token) => {
    expect(problemOf(token)).not.toBe('accepted');
  });

  it('are refused from a service that never calls this one', () => {
    const token = tokensOf('campaigns').mint('webhooks', SERVICE);
    expect(problemOf(token, 'webhooks')).toContain('signed by no service');
  });

  it('represent keys and members only if the gateway signed them', () => {
    expect(problemOf(tokensOf('campaigns').mint('telephony', SERVICE))).toBe('accepted');
    expect(problemOf(tokensOf('campaigns').mint('telephony', CLAIMS))).toContain('cannot know');
    const other = { workspaceId: 'w', actor: { kind: 'service', id: 'webhooks' } } as const;
    expect(problemOf(tokensOf('campaigns').mint('telephony', other))).toContain('cannot know');
    expect(problemOf(forge('campaigns', { iss: 'gateway' }))).toContain('in the name of another');
  });

  it('are verified with two keys of a service during a rotation', () => {
    const next = newSigningSeed();
    const during = [...verifyKeys, { service: 'gateway' as const, key: publicKeyOf(next) }];
    const telephony = tokensOf('telephony', seeds.telephony, during);
    expect(telephony.verify(tokensOf('gateway').mint('telephony', CLAIMS))).toEqual(CLAIMS);
    expect(telephony.verify(tokensOf('gateway', next, during).mint('telephony', CLAIMS))).toEqual(CLAIMS);
    const after = during.filter(({ key }) => !key.equals(publicKeyOf(seeds.gateway)));
    const rotated = tokensOf('telephony', seeds.telephony, after);
    expect(() => rotated.verify(tokensOf('gateway').mint('telephony', CLAIMS))).toThrow();
  });

  it('require the public half of the signing key among the known ones', () => {
    expect(() => tokensOf('gateway', newSigningSeed())).toThrow('INTERNAL_VERIFY_KEYS must contain');
  });
});
