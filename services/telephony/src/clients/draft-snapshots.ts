import { getDraftSnapshot } from '@parley/contracts';
import type { ServiceClient } from '@parley/kit/http';
import type { DraftSnapshots } from '../test-turns/ports.ts';

export function createDraftSnapshots(assistants: ServiceClient): DraftSnapshots {
  return {
    get: (workspaceId, { agentId, config }) =>
      assistants.call(getDraftSnapshot, { body: { agent_id: agentId, config } }, { workspaceId }),
  };
}
