import type { Call } from '../calls/call.ts';
import type { Carrier } from '../carrier/port.ts';
import type { PreparedAssistant } from '../conversation/prepare-prompt.ts';
import { type CustomToolDeps, runCustomTool } from './run-custom-tool.ts';
import { runNativeTool } from './run-native-tool.ts';
import { failed, type ToolOutcome } from './tool-outcome.ts';
import type { ToolInvocation } from './tool-request.ts';

/** The call that a tool is run for. */
export type ToolScene = {
  call: Call;
  assistant: PreparedAssistant;
  /** Resolves with the carrier's word on a transfer. */
  transferResult: () => Promise<boolean>;
  /** Whether the call is still this worker's: asked before the carrier does something for it. May reject. */
  isOurs: () => Promise<boolean>;
};

/** Stands outside the engines: they ask, this runs. Never rejects: a tool's failure is told to the assistant (D4.7). */
export type ToolRunner = (
  scene: ToolScene,
  invocation: ToolInvocation,
  signal: AbortSignal,
) => Promise<ToolOutcome>;

export function createToolRunner(deps: CustomToolDeps & { carrier: Carrier }): ToolRunner {
  return async ({ call, assistant, transferResult, isOurs }, invocation, signal) => {
    const { tool, args } = invocation;
    const log = deps.log.child({ callId: call.id, workspaceId: call.workspaceId, toolCallId: invocation.id });
    try {
      if (!tool.is_native) return await runCustomTool({ ...deps, log }, call.workspaceId, invocation, signal);
      const inbound = call.callType === 'inbound';
      return await runNativeTool(
        deps,
        {
          callId: call.id,
          workspaceId: call.workspaceId,
          ownNumber: inbound ? call.toNumber : call.fromNumber,
          customerNumber: inbound ? call.fromNumber : call.toNumber,
          smsMessage: assistant.smsMessage,
          transferResult,
          isOurs,
        },
        { tool, args, signal },
      );
    } catch (err) {
      log.error({ err, tool: tool.tool_name }, 'tool could not be run');
      return failed('The tool could not be run');
    }
  };
}
