import type { Sql } from '@parley/kit/db';
import type { OwnTool } from '../config/settle-tool-ids.ts';
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
  /** What all of an assistant's tools are, oldest first, in few bytes: whoever holds the assistant keeps them so. */
  ownOf(tx: Sql, workspaceId: string, agentId: string): Promise<OwnTool[]>;
  /** An assistant's native tools, held until the transaction ends; the assistant is held before them. */
  holdNative(tx: Sql, workspaceId: string, agentId: string): Promise<Tool[]>;
  /** How many tools an assistant has, of both kinds. */
  countOf(tx: Sql, workspaceId: string, agentId: string): Promise<number>;
  /** Writes what can change. Throws `CONFLICT` when the assistant has another tool of that name. */
  save(tx: Sql, tool: Tool): Promise<void>;
  remove(tx: Sql, workspaceId: string, id: string): Promise<void>;
};
