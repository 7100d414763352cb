import type { ServiceName } from '@parley/contracts';
import { createPeer, type InternalTokens, type Peer } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';

type Deps = { internalTokens: InternalTokens; lifecycle: Lifecycle; log: Log };

/** Another service, asked on telephony's own account. */
export function connectPeer(
  name: ServiceName,
  baseUrl: string,
  { internalTokens, lifecycle, log }: Deps,
): Peer {
  const peer = createPeer({ name, caller: 'telephony', baseUrl, internalTokens, log });
  lifecycle.onStop(`peer ${name}`, peer.close);
  return peer;
}
