import { AppError, notFound, validationFailed } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import { checkUrlSyntax } from '@parley/kit/outbound';
import { toIsoMillis } from '@parley/kit/time';
import { type AttemptDeps, makeAttempt } from '../delivery/make-attempt.ts';
import { maskHeaders } from '../events/mask-headers.ts';

/** The URL that an assistant of the workspace has now; undefined: the workspace has no such assistant. */
export type FindUrl = (workspaceId: string, agentId: string) => Promise<string | null | undefined>;

export type TestEndpointDeps = AttemptDeps & { findUrl: FindUrl; allowCidrs: readonly string[] };

type Target = { url?: string | undefined; agent_id?: string | undefined };

/** `POST /v1/webhook-endpoint/test`: one attempt as every other is made, of an event that is kept nowhere. */
export async function testEndpoint(deps: TestEndpointDeps, workspaceId: string, target: Target) {
  const url = await resolveUrl(deps, workspaceId, target);
  const id = newId();
  const timestamp = toIsoMillis(deps.clock.now());
  const agentId = target.agent_id ?? null;
  const body = JSON.stringify({ event: 'test', call_id: null, agent_id: agentId, timestamp, payload: {} });
  const made = await makeAttempt(deps, { id, workspaceId, url, body, attempts: 0 });
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
  { findUrl, allowCidrs }: TestEndpointDeps,
  workspaceId: string,
  target: Target,
): Promise<string> {
  if (target.agent_id === undefined) {
    const url = target.url ?? '';
    const problem = checkUrlSyntax(url, { allowHttp: false, allowCidrs });
    if (problem) throw validationFailed([{ path: 'url', code: 'invalid_format', message: `url ${problem}` }]);
    return url;
  }
  const url = await findUrl(workspaceId, target.agent_id);
  if (url === undefined) throw notFound('Assistant');
  if (url !== null) return url;
  const message = 'agent_id must be an assistant that has a webhook URL';
  throw validationFailed([{ path: 'agent_id', code: 'not_allowed', message }]);
}
