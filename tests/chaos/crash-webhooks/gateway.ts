import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getAssistantWebhookSecrets } from '@parley/contracts';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { newWebhookSecret } from '@parley/kit/outbound';
import { withoutOwnSecrets } from '@parley/testkit/fakes';

/** As much of the gateway as webhooks asks, for one deliverer: its own secret tells whose a request is. */
export type Gateway = {
  url: string;
  secret: string;
  /** Who asks for signing secrets has claimed an event and has not sent it yet. True: the answer is never given. */
  intercept(by: (() => boolean) | undefined): void;
};

export async function openGateway(lifecycle: Lifecycle): Promise<Gateway> {
  const secret = newWebhookSecret();
  let interceptor: (() => boolean) | undefined;
  const server = createServer(async (req, res) => {
    if (req.url === getAssistantWebhookSecrets.path) return void res.end(await withoutOwnSecrets(req));
    if (interceptor?.()) return;
    const id = (req.url ?? '').split('/').at(-1);
    const data = { workspace_id: id, rate_cents: 10, max_live_calls: 20, webhook_secrets: [secret] };
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  lifecycle.onStop('gateway', async () => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
    intercept: (by) => {
      interceptor = by;
    },
  };
}
