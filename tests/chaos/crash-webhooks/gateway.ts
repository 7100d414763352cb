import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getAssistantWebhookSecrets } from '@parley/contracts';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { newWebhookSecret } from '@parley/kit/outbound';
import { withoutOwnSecrets } from '@parley/testkit/fakes';

/** The part of the gateway that webhooks calls, one per deliverer: its signing secret identifies the sender of a request. */
export type Gateway = {
  url: string;
  secret: string;
  /** Called when the deliverer requests secrets: it has claimed an event and not sent it yet. True: never respond. */
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
