import type { MessageData } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import type { JsonObject } from '../json-object.ts';
import type { Page, Search } from '../ports.ts';
import type { Tool } from '../tools/tool.ts';
import type { Assistant } from './assistant.ts';

/** An assistant as it is listed, with the numbers that name it. */
export type AssistantSummary = {
  id: string;
  agentName: string;
  updatedAt: Date;
  systemPrompt: string;
  voice: JsonObject;
  inboundPhoneNumber: string | null;
  outboundPhoneNumber: string | null;
};

export type AssistantBrief = MessageData<'assistant.updated'>;

export type AssistantStore = {
  find(workspaceId: string, id: string): Promise<Assistant | undefined>;
  exists(workspaceId: string, id: string): Promise<boolean>;
  findVersion(workspaceId: string, id: string): Promise<number | undefined>;
  findBriefs(workspaceId: string, ids: readonly string[]): Promise<AssistantBrief[]>;
  /** The assistant and the tools that it has in use, as they were at one moment. */
  findWithTools(
    workspaceId: string,
    id: string,
  ): Promise<{ assistant: Assistant; tools: Tool[] } | undefined>;
  /** Newest edit first. */
  page(workspaceId: string, search: Search): Promise<Page<AssistantSummary>>;
  /** Holds the assistant until the transaction ends. */
  lock(tx: Sql, workspaceId: string, id: string): Promise<Assistant | undefined>;
  /** Holds those that name a knowledge base until the transaction ends, in the order of their ids. */
  lockUsersOf(
    tx: Sql,
    workspaceId: string,
    knowledgeBaseId: string,
    batch: { after: string | undefined; limit: number },
  ): Promise<Assistant[]>;
  insert(tx: Sql, assistant: Assistant): Promise<void>;
  /** Writes what can change: name, type, configuration, version. */
  save(tx: Sql, assistants: readonly Assistant[]): Promise<void>;
  /** Its tools go with it. */
  remove(tx: Sql, workspaceId: string, id: string): Promise<void>;
};

export type KnowledgeBases = {
  /**
   * Those of the ids that are knowledge bases of the workspace, in lower case; they stay so until the transaction ends.
   * Asked while an assistant is held, and whoever deletes one waits for assistants: it must not wait, so one that is just
   * being deleted is left out (FOR KEY SHARE SKIP LOCKED).
   */
  existing(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether one of the ids is a knowledge base of the workspace, or still is while its deletion isn't through. */
  isOneThere(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<boolean>;
};

/** The campaigns service, asked for whoever sent the request. */
export type Campaigns = {
  /** The live campaign that uses the assistant; undefined: none does, and none will within the next minute. */
  retireAssistant(agentId: string, asker: { workspaceId: string; requestId: string }): Promise<Retirement>;
};

export type Retirement = {
  blocker: { name: string; status: string } | undefined;
  /** Lets campaigns on it again before the minute is over, if they can be told; never rejects. */
  lift(): Promise<void>;
};
