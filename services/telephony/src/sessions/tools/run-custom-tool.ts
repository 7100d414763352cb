import type { PlatformHeaders, SnapshotTool } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
import { traceHeaders } from '@parley/kit/observability';
import { activeSecrets, type OutboundClient, type OutboundResult, signWebhook } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import type { WorkspaceSettings } from '../../clients/ports.ts';
import { failed, readOutcome, type ToolOutcome } from './tool-outcome.ts';
import { buildToolRequest, type CustomInvocation, TOOL_HEADER_DEFAULTS } from './tool-request.ts';

export type CustomToolDeps = {
  outbound: OutboundClient;
  settings: WorkspaceSettings;
  clock: Clock;
  log: Log;
};

/** Enough for `MAX_RESULT_CHARACTERS` of any characters. */
const MAX_RESPONSE_BYTES = 65_536;

/** Calls the client's endpoint, signed like a webhook [tools.19], with the tool's timeout in real time [tools.16]. */
export async function runCustomTool(
  deps: CustomToolDeps,
  workspaceId: string,
  invocation: CustomInvocation,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { tool } = invocation;
  const secrets = await secretsOf(deps, workspaceId, tool).catch(() => null);
  if (!secrets) return failed('The request could not be signed');
  const deadlineMs = tool.timeout_seconds * 1000;
  const request = buildToolRequest(invocation);
  const body = request.body ?? '';
  // Without a body, the request line is signed: method, path and query [tools.19].
  const signed = request.body ?? requestLineOf(tool.http_method, request.url);
  const send = (withinMs: number): Promise<OutboundResult> =>
    deps.outbound.send({
      url: request.url,
      method: tool.http_method,
      headers: {
        ...request.headers,
        ...signWebhook(secrets, invocation.id, deps.clock.realNow(), signed),
      } satisfies PlatformHeaders,
      originHeaders: {
        ...TOOL_HEADER_DEFAULTS[tool.http_method],
        ...traceHeaders(),
        ...lowerCased(tool.headers),
      },
      ...(request.body === null ? {} : { body }),
      deadlineMs: withinMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      allowHttp: true,
      followRedirects: false,
      readBody: 'full',
      signal,
    });
  const first = await send(deadlineMs);
  const leftMs = deadlineMs - first.durationMs;
  // Retried only if no byte was sent [tools.21].
  const again = first.outcome === 'connection_error' && !first.requestSent && leftMs > 0;
  const answer = again ? await send(leftMs) : first;
  const durationMs = again ? first.durationMs + answer.durationMs : answer.durationMs;
  deps.log.info(
    { tool: tool.tool_name, outcome: answer.outcome, status: answer.status, durationMs },
    'tool finished',
  );
  return readOutcome({ ...answer, durationMs }, tool.timeout_seconds);
}

/** The tool's own secrets, otherwise the workspace's. */
async function secretsOf(
  { settings, clock }: CustomToolDeps,
  workspaceId: string,
  { webhook_secrets: own }: SnapshotTool,
): Promise<readonly string[] | undefined> {
  if (own.length > 0) return activeSecrets(own, clock.now());
  return (await settings.get(workspaceId))?.webhookSecrets;
}

/** The first line of the request without the HTTP version. */
function requestLineOf(method: string, url: string): string {
  const { pathname, search } = new URL(url);
  return `${method} ${pathname}${search}`;
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
