import { AppError, notFound, validationFailed } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import { checkUrlSyntax, type OutboundAllowance } from '@parley/kit/outbound';
import { toIsoMillis } from '@parley/kit/time';
import { type AttemptDeps, makeAttempt } from '../deliveries/deliver.ts';
import { maskHeaders } from '../history/mask-headers.ts';
import type { EndpointStore } from './endpoints.store.ts';

export type TestEndpointDeps = AttemptDeps & { endpoints: EndpointStore; allowed: OutboundAllowance };

type Target = { url?: string | undefined; agent_id?: string | undefined };

/** `POST /v1/webhook-endpoint/test`: one ordinary attempt of an event that isn't stored. */
export async function testEndpoint(deps: TestEndpointDeps, workspaceId: string, target: Target) {
  const { url, ...endpoint } = await resolveUrl(deps, workspaceId, target);
  const id = newId();
  const timestamp = toIsoMillis(deps.clock.now());
  const agentId = target.agent_id ?? null;
  const body = JSON.stringify({ event: 'test', call_id: null, agent_id: agentId, timestamp, payload: {} });
  const made = await makeAttempt(deps, { ...endpoint, id, workspaceId, agentId, url, body, attempts: 0 });
  if (!made) throw new AppError('INTERNAL_ERROR', 'Nothing was sent; try again');
  const { reason, status, error, durationMs, requestHeaders, response } = made.attempt;
  deps.log.info({ workspaceId, reason, status, ms: durationMs }, 'endpoint tested');
  return {
    id,
    ok: reason === 'delivered',
    url,
    reason,
    status,
    error,
    duration_ms: durationMs,
    request: { headers: maskHeaders(requestHeaders), body },
    response: response && { ...response, headers: maskHeaders(response.headers) },
  };
}

async function resolveUrl(
  { endpoints, allowed }: TestEndpointDeps,
  workspaceId: string,
  target: Target,
): Promise<{ url: string; version: number; usesWorkspaceSecret: boolean }> {
  if (target.agent_id === undefined) {
    const url = target.url ?? '';
    const problem = checkUrlSyntax(url, { ...allowed, allowHttp: false });
    if (problem) throw validationFailed([{ path: 'url', code: 'invalid_format', message: `url ${problem}` }]);
    return { url, version: 0, usesWorkspaceSecret: true };
  }
  const endpoint = await endpoints.findUrl(workspaceId, target.agent_id);
  if (!endpoint) throw notFound('Assistant');
  const { url } = endpoint;
  if (url !== null) return { ...endpoint, url };
  const message = 'agent_id must be an assistant that has a webhook URL';
  throw validationFailed([{ path: 'agent_id', code: 'not_allowed', message }]);
}
