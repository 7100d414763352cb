import type { CallTool } from '../tools/call-tool.ts';
import { reachesOut } from '../tools/call-tool.ts';
import type { ToolInvocation } from '../tools/run-tool.ts';
import { failed, succeeded, type ToolOutcome } from '../tools/tool-outcome.ts';
import { type CallParts, sinceMs } from './call-parts.ts';
import { type Conversation, type ConversationDeps, createConversation } from './conversation.ts';
import { silenceLeftMs } from './silence-left.ts';
import { createTransfers } from './transfers.ts';

/** The media side of a call that was answered. */
export type Talk = {
  /** The answer: the assistant begins, or goes on. */
  begin(): void;
  /** A voicemail picked up: the assistant stops, leaves its message if it has one, and hangs up (D3.3). */
  meetMachine(): void;
  /** What the carrier says about a transfer that a tool asked for. */
  transferred(ok: boolean): void;
  /** Resolves when no tool is under way. */
  toolsDone(): Promise<void>;
  stop(why: string): void;
};

export function createTalk(parts: CallParts): Talk {
  const { deps, assistant, record, life, call, hangUp, fail, post } = parts;
  const { settings, model } = assistant.config;
  const talking = new AbortController();
  const transfers = createTransfers(parts);
  const running = new Set<Promise<unknown>>();

  /** Whether a tool may be used here; what nobody may be asked for twice is written down first. */
  const begin = async ({ id, tool, args }: ToolInvocation): Promise<boolean> => {
    if (!(await deps.writes.holds(deps.owner, call()))) return false;
    if (!reachesOut(tool)) return true;
    const { tool_name: toolName, tool_type: toolType, description } = tool;
    return deps.toolsUnderWay.begin(deps.owner, call(), {
      toolCallId: id,
      toolName,
      toolType,
      description,
      args,
    });
  };

  const runTool: ConversationDeps['runTool'] = (invocation, signal) => {
    const scene = { call: call(), assistant, transfer: transfers.request, begin: () => begin(invocation) };
    const run = deps.runTool(scene, invocation, signal);
    running.add(run);
    return run.finally(() => running.delete(run));
  };

  const cutOff = ({ tool_name }: CallTool, { reason }: AbortSignal): ToolOutcome =>
    tool_name === 'transfer_call' && transfers.isDone()
      ? succeeded({ status: 'transferred' })
      : failed(`No answer was waited for: ${reason instanceof Error ? reason.message : 'the call is over'}`);

  const onUsed: ConversationDeps['onUsed'] = ({ source }) => {
    if (source.kind === 'report_voicemail') {
      void post({ type: 'machine_detected', legId: call().state.callSid, at: deps.clock.now() });
      return 'ends';
    }
    if (source.kind !== 'native') return 'goes on';
    if (source.tool.tool_name === 'end_call') hangUp();
    // Whoever was handed over talks to somebody else: the carrier's word on it ends the call.
    else if (source.tool.tool_name !== 'transfer_call') return 'goes on';
    return 'ends';
  };

  const converse = async (
    signal: AbortSignal,
    lead: (conversation: Conversation) => Promise<void>,
  ): Promise<void> => {
    const port = deps.carrier.media(call().id);
    if (!port) throw new Error('the leg carries no media');
    const awaitHuman: ConversationDeps['awaitHuman'] = (goesOn) => {
      const timeoutMs = settings.silenceTimeout;
      const facts = {
        last: record.at(-1) ?? null,
        answeredAt: call().state.answeredAt,
        now: deps.clock.now(),
      };
      return life.after(goesOn ? silenceLeftMs({ timeoutMs, ...facts }) : timeoutMs, () => hangUp());
    };
    const conversation = createConversation(
      {
        turns: deps.turns,
        now: deps.clock.now,
        awaitHuman,
        runTool,
        cutOff: (tool) => cutOff(tool, signal),
        onUsed,
      },
      { call: call(), assistant, port, record, signal },
    );
    await lead(conversation);
  };

  const lead = async (conversation: Conversation): Promise<void> => {
    const engine = deps.findEngine(model);
    if (!engine) throw new Error(`No engine speaks to the model provider ${model.provider}`);
    await conversation.run(engine);
  };

  const stop = (why: string): void => talking.abort(new Error(why));

  return {
    stop,
    toolsDone: async () => {
      await Promise.all(running);
    },
    transferred: transfers.settle,
    begin: () => {
      // From the answer, whoever carried the call until now.
      const leftMs = settings.maxCallDuration - sinceMs(parts, call().state.answeredAt);
      life.after(leftMs, () => hangUp('timed_out'));
      if (call().state.machineDetected) return;
      converse(talking.signal, lead).then(
        () => hangUp(),
        (err: unknown) => {
          if (!talking.signal.aborted && !life.signal.aborted) fail(err);
        },
      );
    },
    meetMachine: () => {
      stop('a machine picked up');
      const leaves = settings.voicemail.action === 'leave_message' && !call().state.voicemailMessageLeft;
      const message = async (): Promise<void> => {
        await converse(life.signal, (conversation) => conversation.say(assistant.voicemailMessage));
        await post({ type: 'message_left' });
      };
      (leaves ? message() : Promise.resolve()).then(
        () => hangUp(),
        (err: unknown) => {
          if (!life.signal.aborted) fail(err);
        },
      );
    },
  };
}
