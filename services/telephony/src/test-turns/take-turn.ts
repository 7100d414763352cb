import type { BodyOf, testAssistant as contract, ResponseOf } from '@parley/contracts';
import type { KeyedLimiter } from '@parley/kit/concurrency';
import { AppError, conflict, notFound } from '@parley/kit/errors';
import { type Auth, mayUseAgent } from '@parley/kit/http';
import { monotonicMs } from '@parley/kit/time';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { ConversationEngine, FindEngine } from '../engines/engine.ts';
import { workspaceSuspended } from '../limits/suspended.ts';
import type { Call } from '../sessions/call.ts';
import type { CallTool } from '../sessions/tools/call-tool.ts';
import type { ToolInvocation } from '../sessions/tools/run-tool.ts';
import { toEngineTool } from '../sessions/tools/tool-access.ts';
import { failed, type ToolOutcome } from '../sessions/tools/tool-outcome.ts';
import { toolsOfCall } from '../sessions/tools/tools-of-call.ts';
import { createToolUse } from '../sessions/tools/use-tools.ts';
import { logFieldsOf } from '../sessions/trace-of-call.ts';
import type { DraftSnapshots } from './ports.ts';
import { prepareForTest } from './prepare-for-test.ts';
import { testCall } from './test-call.ts';
import { runTestTool, type TestToolDeps } from './test-tools.ts';
import { createTurnPort } from './turn-port.ts';
import { createTurnRecord, historyOf, type OnLine } from './turn-record.ts';

export type TestTurnDeps = TestToolDeps & {
  drafts: DraftSnapshots;
  findEngine: FindEngine;
  /** Cents. */
  spentToday(workspaceId: string): Promise<number>;
  /** Turns of each workspace at the same time. */
  turns: KeyedLimiter;
  /** Real time. */
  turnTimeoutMs: number;
};

type Body = BodyOf<typeof contract>;
export type TestTurnInput = { auth: Auth; body: Body };

/** One turn of an assistant that may not be saved, without a call [dashboard.10]. The client keeps the conversation. */
export async function takeTestTurn(
  deps: TestTurnDeps,
  { auth, body }: TestTurnInput,
  closed: AbortSignal,
  onLine: OnLine = () => {},
): Promise<ResponseOf<typeof contract>> {
  const { workspaceId } = auth;
  const agentId = agentOf(auth, body);
  const release = await deps.turns.acquire(workspaceId, closed);
  try {
    await requireAllowed(deps, workspaceId);
    const snapshot = await deps.drafts.get(workspaceId, { agentId, config: body.config });
    const assistant = prepareForTest(snapshot, body.dynamic_variables);
    const { provider } = assistant.config.model;
    const engine = deps.findEngine(assistant.config.model);
    if (!engine) throw conflict(`The model provider ${provider} can't be tested by text: it needs audio`);
    const call = testCall(workspaceId, snapshot, body, deps.clock.now());
    return await runTurn(deps, { call, assistant, engine, body }, closed, onLine);
  } finally {
    release();
  }
}

/** Turns use the operator's models free of charge, so they are rejected once the workspace has reached its spend limit [trust.22]. */
async function requireAllowed({ settings, spentToday }: TestTurnDeps, workspaceId: string): Promise<void> {
  const limits = await settings.get(workspaceId);
  if (limits?.isSuspended) throw workspaceSuspended();
  const limit = limits?.dailySpendLimitCents ?? null;
  if (limit !== null && (await spentToday(workspaceId)) >= limit)
    throw new AppError('FORBIDDEN', `This workspace has reached its daily_spend_limit_cents (${limit})`);
}

/** A key that is limited to some assistants can test only these; others read as missing [trust.9]. */
function agentOf(auth: Auth, { agent_id: given }: Body): string | null {
  const agentId = given?.toLowerCase() ?? null;
  if (agentId === null && auth.actor.scope?.agentIds)
    throw new AppError('FORBIDDEN', 'This API key is limited to certain assistants: send agent_id');
  if (agentId !== null && !mayUseAgent(auth, agentId)) throw notFound('Assistant');
  return agentId;
}

type TestTurn = { call: Call; assistant: PreparedAssistant; engine: ConversationEngine; body: Body };

const NOT_AWAITED = 'The result was not awaited: the turn ended first';

async function runTurn(
  deps: TestTurnDeps,
  { call, assistant, engine, body }: TestTurn,
  closed: AbortSignal,
  onLine: OnLine,
): Promise<ResponseOf<typeof contract>> {
  const beganMs = monotonicMs();
  const turn = createTurnRecord(body, deps.clock, onLine);
  const running = new Set<Promise<unknown>>();
  const over = new AbortController();
  const late = AbortSignal.timeout(deps.turnTimeoutMs);
  const signal = AbortSignal.any([over.signal, late, closed]);
  const end = (why: string): void => over.abort(new Error(why));
  let endedBy: string | null = null;

  const port = createTurnPort({ running, onOver: () => end('The turn is over'), onSpoken: turn.said });
  const tools = toolsOfCall(assistant, call.callType);
  const runTool = (invocation: ToolInvocation, aborts: AbortSignal): Promise<ToolOutcome> => {
    turn.begun(invocation);
    const context = { call, assistant, onSimulated: turn.simulated };
    const run = runTestTool(deps, context, invocation, aborts).finally(() => {
      running.delete(run);
      port.mark();
    });
    running.add(run);
    return run;
  };
  const onUsed = (tool: CallTool): 'continues' | 'ends' => {
    if (!endsCall(tool)) return 'continues';
    endedBy = tool.tool_name;
    end(`${endedBy} ends the conversation`);
    return 'ends';
  };
  const toolUse = { now: deps.clock.now, runTool, cutOff: () => failed(NOT_AWAITED), onUsed };
  const conversation = { call, tools, record: turn.record, note: turn.used, signal };

  try {
    const input = engineInput({ call, assistant, engine, body }, tools);
    const log = deps.log.child(logFieldsOf(call));
    await engine.run({ ...input, port, signal, log }, { useTool: createToolUse(toolUse, conversation) });
  } catch (err) {
    if (!signal.aborted) throw err;
  } finally {
    end('The turn is over');
  }
  return {
    test_id: call.id,
    entries: turn.entries,
    ended_by: endedBy,
    unresolved_variables: assistant.unresolved,
    is_timed_out: signal.reason === late.reason,
    duration_ms: Math.round(monotonicMs() - beganMs),
  };
}

function endsCall({ source }: CallTool): boolean {
  if (source.kind === 'report_voicemail') return true;
  return source.kind === 'native' && source.tool.tool_name !== 'send_sms';
}

function engineInput({ call, assistant, engine, body }: TestTurn, tools: readonly CallTool[]) {
  const { config, systemPrompt, firstMessage } = assistant;
  return {
    direction: call.callType === 'outbound' ? ('outbound' as const) : ('inbound' as const),
    systemPrompt,
    firstMessage,
    model: config.model,
    language: config.language,
    variables: call.dynamicVariables,
    tools: tools.map((tool) => toEngineTool(tool, engine)),
    history: historyOf(body),
  };
}
