import type { Clock } from '@parley/kit/time';
import type { ZodType } from 'zod';
import type { Transact } from '../ports.ts';
import type { ToolStore } from '../tools/ports.ts';
import type { AssistantStore } from './ports.ts';

/** What the use cases of assistants work with. */
export type AssistantDeps = {
  transact: Transact;
  clock: Clock;
  assistants: AssistantStore;
  tools: ToolStore;
  /** The known keys of a configuration and their rules. */
  configSchema: ZodType;
};
