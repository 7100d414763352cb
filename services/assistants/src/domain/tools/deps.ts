import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { HoldDeps } from '../assistants/hold-assistant.ts';
import type { ToolStore } from './ports.ts';

/** What the use cases of tools work with. */
export type ToolDeps = HoldDeps & {
  clock: Clock;
  tools: ToolStore;
  secrets: Pick<SecretBox, 'seal' | 'open'>;
  /** Addresses that tools may have although they are not public (D8.5). */
  allowCidrs: readonly string[];
  /** From how many tools on an assistant gets no more custom ones. */
  maxTools: number;
};

/** Who asks for a change of a tool. */
export type ToolRequest = { workspaceId: string; id: string; requestId: string };
