import { formatMs } from '../terminal/format-ms.ts';
import type { Demo } from './demo-workspace.ts';

type Facts = {
  gatewayUrl: string;
  demo: Demo;
  signInUrl: string | undefined;
  /** Where carriers reach SIP; undefined: it is off. */
  sipPort: number | undefined;
  tookMs: number;
};

/** Addresses, keys and next steps, printed when the platform is ready. */
export function welcome({ gatewayUrl, demo, signInUrl, sipPort, tookMs }: Facts): string {
  const signIn = signInUrl === undefined ? '' : `\n  sign in         ${signInUrl}  (once, within an hour)`;
  const sip =
    sipPort === undefined ? '' : `\n  SIP             127.0.0.1:${sipPort}, UDP and TCP (docs/sip.md)`;
  return `
Parley is ready at ${gatewayUrl}

  dashboard       ${gatewayUrl}/dashboard/${signIn}

  workspace       ${demo.name} (${demo.workspace_id})
  private key     ${demo.private_key}
  public key      ${demo.public_key}
  webhook secret  ${demo.webhook_secret}${sip}

  Started in ${formatMs(tookMs)}; logs are in .stack/logs.
  Run \`npm run demo\` in another terminal; Ctrl-C stops everything.
`;
}
