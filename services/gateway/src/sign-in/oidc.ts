import { AppError } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import * as oidc from 'openid-client';
import type { Config } from '../config.ts';

/** The provider's claims about a person. */
export type Claims = {
  /** The provider's stable id of the person; the address may change. */
  subject: string;
  /** In lower case; undefined unless the provider says that it has verified it. */
  address: string | undefined;
  groups: readonly string[];
};

/** State that the browser must return from the provider. */
export type Attempt = { verifier: string; state: string; nonce: string };

type OidcSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  groupsClaim: string;
  trustEmail: boolean;
};

const TIMEOUT_SECONDS = 5;

export type IdentityProvider = ReturnType<typeof createOidc>;

/** Single sign-on by OpenID Connect: authorization code with PKCE, state and nonce. */
export function createOidc(config: Config, log: Log) {
  const settings: OidcSettings = {
    issuer: config.OIDC_ISSUER ?? '',
    clientId: config.OIDC_CLIENT_ID ?? '',
    clientSecret: config.OIDC_CLIENT_SECRET ?? '',
    scopes: config.OIDC_SCOPES,
    groupsClaim: config.OIDC_GROUPS_CLAIM,
    trustEmail: config.OIDC_TRUST_EMAIL,
  };
  let discovered: Promise<oidc.Configuration> | undefined;

  /** Discovers once, and again at the next request after a failure. */
  const configuration = (): Promise<oidc.Configuration> => {
    discovered ??= discover(settings).catch((err) => {
      discovered = undefined;
      throw unreachable(log, err);
    });
    return discovered;
  };

  return {
    issuer: settings.issuer,
    begin: async (redirectUri: string) => {
      const provider = await configuration();
      const attempt = {
        verifier: oidc.randomPKCECodeVerifier(),
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
      };
      const location = oidc.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        state: attempt.state,
        nonce: attempt.nonce,
      });
      return { location: location.href, attempt };
    },
    /** Throws `UNAUTHORIZED` if the provider or a check rejects the sign-in, `SERVICE_UNAVAILABLE` if it is unreachable. */
    finish: async (callback: URL, { verifier, state, nonce }: Attempt): Promise<Claims> => {
      const provider = await configuration();
      const checks = {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      };
      try {
        const tokens = await oidc.authorizationCodeGrant(provider, callback, checks);
        const claims = tokens.claims();
        if (!claims) throw new Error('the provider sent no ID token');
        const isWhole = claims.email !== undefined && claims[settings.groupsClaim] !== undefined;
        const info =
          isWhole || !provider.serverMetadata().userinfo_endpoint
            ? {}
            : await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub);
        return readClaims({ ...info, ...claims }, settings);
      } catch (err) {
        throw isOutage(err) ? unreachable(log, err) : refused(log, err);
      }
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<oidc.Configuration> {
  const execute = [oidc.enableNonRepudiationChecks];
  if (issuer.startsWith('http:')) execute.push(oidc.allowInsecureRequests);
  const config = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute,
    timeout: TIMEOUT_SECONDS,
  });
  config.timeout = TIMEOUT_SECONDS;
  return config;
}

function readClaims(
  claims: Record<string, unknown> & { sub: string },
  { groupsClaim, trustEmail }: OidcSettings,
): Claims {
  const { sub, email, email_verified: verified } = claims;
  const isProved = trustEmail || verified === true || verified === 'true';
  const groups = [claims[groupsClaim] ?? []].flat().filter((group) => typeof group === 'string');
  return {
    subject: sub,
    address: typeof email === 'string' && isProved ? email.trim().toLowerCase() : undefined,
    groups,
  };
}

function unreachable(log: Log, err: unknown): AppError {
  log.warn({ err }, 'the single sign-on provider is unreachable');
  return new AppError('SERVICE_UNAVAILABLE', 'The single sign-on provider is unreachable', {
    retryAfterSeconds: 5,
    cause: err,
  });
}

function refused(log: Log, err: unknown): AppError {
  // Caused by the browser or the provider: not actionable for the operator.
  log.info({ err }, 'single sign-on rejected');
  return new AppError('UNAUTHORIZED', 'The sign-in was rejected or has expired: start again', { cause: err });
}

/** The provider didn't answer or failed. */
function isOutage(err: unknown): boolean {
  if (err instanceof oidc.ResponseBodyError) return err.status >= 500;
  if (!(err instanceof Error)) return true;
  if (err instanceof oidc.ClientError && err.code === 'OAUTH_TIMEOUT') return true;
  // How fetch reports a failed connection.
  return err instanceof TypeError || err.cause instanceof TypeError || err.name === 'TimeoutError';
}
