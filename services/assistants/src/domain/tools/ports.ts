import type { Sql } from '@parley/kit/db';
import type { Page, Search } from '../ports.ts';
import type { Tool } from './tool.ts';

export type ToolStore = {
  find(workspaceId: string, id: string): Promise<Tool | undefined>;
  /** One assistant's tools, newest first. */
  page(workspaceId: string, agentId: string, search: Search & { nativeOnly: boolean }): Promise<Page<Tool>>;
  /** Throws `CONFLICT` when the assistant has a tool of that name. */
  insert(tx: Sql, tool: Tool): Promise<void>;
  /** Holds the tool until the transaction ends; its assistant is held before it. */
  hold(tx: Sql, workspaceId: string, id: string): Promise<Tool | undefined>;
  /** All of an assistant's tools, oldest first, held until the transaction ends; the assistant is held before them. */
  findOf(tx: Sql, workspaceId: string, agentId: string): Promise<Tool[]>;
  /** Writes what can change. Throws `CONFLICT` when the assistant has another tool of that name. */
  save(tx: Sql, tool: Tool): Promise<void>;
  remove(tx: Sql, workspaceId: string, id: string): Promise<void>;
};
