import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { AgentCopies } from '../agents/ports.ts';
import type { AssistantBriefs, CarrierNumbers, Transact } from '../ports.ts';
import type { NumberStore } from './ports.ts';

/** What the use cases of numbers work with. */
export type NumberDeps = {
  transact: Transact;
  clock: Clock;
  numbers: NumberStore;
  copies: AgentCopies;
  briefs: AssistantBriefs;
  secrets: Pick<SecretBox, 'seal' | 'open'>;
  carrierNumbers: CarrierNumbers;
  /** Addresses that inbound webhooks may lead to although they are not public (D8.5). */
  allowCidrs: readonly string[];
};
