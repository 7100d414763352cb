import type { Clock } from '@parley/kit/time';
import type { ZodType } from 'zod';
import type { ToolStore } from '../tools/ports.ts';
import type { HoldDeps } from './hold-assistant.ts';
import type { Campaigns, KnowledgeBases } from './ports.ts';

/** What the use cases of assistants work with. */
export type AssistantDeps = HoldDeps & {
  clock: Clock;
  tools: ToolStore;
  knowledgeBases: KnowledgeBases;
  campaigns: Campaigns;
  /** The known keys of a configuration and their rules. */
  configSchema: ZodType;
};
