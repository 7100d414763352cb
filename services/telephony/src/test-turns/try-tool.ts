import type { BodyOf, testTool as contract, ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type Auth, mayUseAgent } from '@parley/kit/http';
import { newId } from '@parley/kit/ids';
import { monotonicMs } from '@parley/kit/time';
import { workspaceSuspended } from '../limits/suspended.ts';
import { toolsOfCall } from '../sessions/tools/tools-of-call.ts';
import { prepareForTest } from './prepare-for-test.ts';
import type { TestTurnDeps } from './take-turn.ts';
import { testCall } from './test-call.ts';
import { runTestTool } from './test-tools.ts';

type Input = { auth: Auth; body: BodyOf<typeof contract> };

/** Calls the endpoint of one custom tool with given arguments, even if the assistant doesn't use the tool [tools.25]. */
export async function tryTool(
  deps: TestTurnDeps,
  { auth, body }: Input,
  closed: AbortSignal,
): Promise<ResponseOf<typeof contract>> {
  const { workspaceId } = auth;
  const { agent_id, tool_id, arguments: args, dynamic_variables } = body;
  const [agentId, toolId] = [agent_id.toLowerCase(), tool_id.toLowerCase()];
  if (!mayUseAgent(auth, agentId)) throw notFound('Assistant');
  const release = await deps.turns.acquire(workspaceId, closed);
  try {
    if ((await deps.settings.get(workspaceId))?.isSuspended) throw workspaceSuspended();
    const snapshot = await deps.drafts.get(workspaceId, { agentId, config: { toolIds: [toolId] } });
    const assistant = prepareForTest(snapshot, dynamic_variables);
    const tool = toolsOfCall(assistant, 'web').find(
      ({ source }) => source.kind === 'custom' && source.tool.id === toolId,
    );
    if (!tool) throw notFound('Tool');
    const now = deps.clock.now();
    const call = testCall(workspaceId, snapshot, { call_type: 'web', dynamic_variables }, now);
    const id = newId();
    const beganMs = monotonicMs();
    const context = { call, assistant, onSimulated: () => {} };
    const outcome = await runTestTool(deps, context, { id, at: now, tool, args, call, spoken: [] }, closed);
    return {
      role: 'tool',
      tool_call_id: id,
      tool_name: tool.tool_name,
      tool_type: tool.tool_type,
      arguments: args,
      result: outcome.result ?? null,
      error: outcome.error,
      status_code: outcome.statusCode,
      documents: null,
      duration_ms: Math.round(monotonicMs() - beganMs),
      simulated: null,
    };
  } finally {
    release();
  }
}
