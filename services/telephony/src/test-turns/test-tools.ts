import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Call } from '../sessions/call.ts';
import type { CallTool } from '../sessions/tools/call-tool.ts';
import { createToolRunner, type ToolInvocation, type ToolRunnerDeps } from '../sessions/tools/run-tool.ts';
import type { ToolOutcome } from '../sessions/tools/tool-outcome.ts';

export type TestToolDeps = Omit<ToolRunnerDeps, 'carrier'>;

type TestToolContext = {
  call: Call;
  assistant: PreparedAssistant;
  /** Called with what a native tool would have done in a call. */
  onSimulated: (toolCallId: string, effect: string) => void;
};

/** Runs a tool of a test: custom tools and searches as usual, native ones with their checks but without a carrier [dashboard.12]. */
export async function runTestTool(
  deps: TestToolDeps,
  { call, assistant, onSimulated }: TestToolContext,
  invocation: ToolInvocation,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { id, tool } = invocation;
  let effect = effectOf(tool);
  const runTool = createToolRunner({
    ...deps,
    carrier: {
      sendSms: async ({ to, text }) => {
        effect = `Would send an SMS to ${to}: ${text}`;
        return { messageId: id };
      },
    },
  });
  const context = {
    call,
    assistant,
    begin: async () => true,
    transfer: async ({ destination, type }: { destination: string; type: 'cold' | 'warm' }) => {
      effect = `Would transfer the call to ${destination} (${type})`;
      return { ok: true, error: null };
    },
  };
  const outcome = await runTool(context, invocation, signal);
  if (effect !== undefined && outcome.error === null) onSimulated(id, effect);
  return outcome;
}

function effectOf({ source }: CallTool): string | undefined {
  if (source.kind === 'report_voicemail') return 'Would treat the call as answered by a machine';
  return source.kind === 'native' ? 'Would hang up' : undefined;
}
