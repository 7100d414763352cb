import { formatMs } from '../terminal/format-ms.ts';
import type { Demo } from './demo-workspace.ts';

/** Address, keys and next steps, printed when the platform is ready. */
export function welcome(gatewayUrl: string, demo: Demo, tookMs: number): string {
  return `
Parley is ready at ${gatewayUrl}

  workspace       ${demo.name} (${demo.workspace_id})
  private key     ${demo.private_key}
  public key      ${demo.public_key}
  webhook secret  ${demo.webhook_secret}

  Started in ${formatMs(tookMs)}; logs are in .stack/logs.
  Run \`npm run demo\` in another terminal; Ctrl-C stops everything.
`;
}
