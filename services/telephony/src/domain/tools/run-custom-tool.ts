import type { PlatformHeaders } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
import { traceHeaders } from '@parley/kit/observability';
import { type OutboundClient, type OutboundResult, signWebhook } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import type { WorkspaceSettings } from '../ports.ts';
import { failed, readOutcome, type ToolOutcome } from './tool-outcome.ts';
import { buildToolRequest, type CustomInvocation, TOOL_HEADER_DEFAULTS } from './tool-request.ts';

export type CustomToolDeps = {
  outbound: OutboundClient;
  settings: WorkspaceSettings;
  clock: Clock;
  log: Log;
};

/** Room for all the characters that count. What is longer is cut anyway, and many calls may read one at the same time. */
const MOST_RESPONSE_BYTES = 65_536;

/** Asks the client's endpoint, signed like a webhook (D4.6), and waits for the tool's own timeout in real time (D4.5). */
export async function runCustomTool(
  deps: CustomToolDeps,
  workspaceId: string,
  invocation: CustomInvocation,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { tool } = invocation;
  const limits = await deps.settings.get(workspaceId).catch(() => null);
  if (!limits) return failed('The request could not be signed');
  const deadlineMs = tool.timeout_seconds * 1000;
  const request = buildToolRequest(invocation);
  const body = request.body ?? '';
  const send = (withinMs: number): Promise<OutboundResult> =>
    deps.outbound.send({
      url: request.url,
      method: tool.http_method,
      headers: {
        ...request.headers,
        ...signWebhook([...limits.webhookSecrets], invocation.id, deps.clock.realNow(), body),
      } satisfies PlatformHeaders,
      originHeaders: {
        ...TOOL_HEADER_DEFAULTS[tool.http_method],
        ...traceHeaders(),
        ...lowerCased(tool.headers),
      },
      ...(request.body === null ? {} : { body }),
      deadlineMs: withinMs,
      maxResponseBytes: MOST_RESPONSE_BYTES,
      allowHttp: true,
      followRedirects: false,
      readBody: 'full',
      signal,
    });
  const first = await send(deadlineMs);
  const leftMs = deadlineMs - first.durationMs;
  // Once more only where the receiver can't have seen anything of it (D4.7).
  const again = first.outcome === 'connection_error' && !first.requestSent && leftMs > 0;
  const answer = again ? await send(leftMs) : first;
  const durationMs = again ? first.durationMs + answer.durationMs : answer.durationMs;
  deps.log.info(
    { tool: tool.tool_name, outcome: answer.outcome, status: answer.status, durationMs },
    'tool finished',
  );
  return readOutcome({ ...answer, durationMs }, tool.timeout_seconds);
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
