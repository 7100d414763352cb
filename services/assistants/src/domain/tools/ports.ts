import type { Sql } from '@parley/kit/db';
import type { Page, Search } from '../ports.ts';
import type { Tool } from './tool.ts';

export type ToolStore = {
  find(workspaceId: string, id: string): Promise<Tool | undefined>;
  /** One assistant's tools, newest first. */
  page(workspaceId: string, agentId: string, search: Search & { nativeOnly: boolean }): Promise<Page<Tool>>;
  /** Throws `CONFLICT` when the assistant has a tool of that name. */
  insert(tx: Sql, tool: Tool): Promise<void>;
};
