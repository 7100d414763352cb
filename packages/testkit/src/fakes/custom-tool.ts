import { randomUUID } from 'node:crypto';
import type { SnapshotTool } from '@parley/contracts';

/** A custom tool of a snapshot. */
export function customTool(fields: Partial<SnapshotTool>): SnapshotTool {
  return {
    id: randomUUID(),
    tool_name: 'check_order',
    is_native: false,
    description: null,
    endpoint_url: 'https://example.com/tool',
    http_method: 'POST',
    headers: {},
    webhook_secrets: [],
    parameters: null,
    timeout_seconds: 30,
    tool_behavior: 'blocking',
    result_scheduling: 'when_idle',
    native: null,
    ...fields,
  };
}
