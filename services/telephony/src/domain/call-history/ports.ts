import type { BodyOf, listCalls } from '@parley/contracts';
import type { CallHead, CallRecord } from './call-record.ts';
import type { LegacyRecord } from './legacy-call.ts';
import type { LegacyPage } from './legacy-query.ts';
import type { SpokenTurn } from './plain-transcript.ts';

export type CallFilters = Omit<BodyOf<typeof listCalls>, 'page' | 'size'>;

export type PlacedTurn = { seq: number; role: 'user' | 'agent'; content: string; at: Date };

/** Calls as they are read; everything is newest first. */
export type CallHistory = {
  page(
    workspaceId: string,
    filters: CallFilters,
    slice: { limit: number; offset: number },
  ): Promise<{ items: CallHead[]; total: number }>;
  find(workspaceId: string, id: string): Promise<CallRecord | undefined>;
  legacyPage(workspaceId: string, page: LegacyPage): Promise<LegacyRecord[]>;
  /** What was said, in order, without the tools. */
  spokenTurns(workspaceId: string, id: string): Promise<SpokenTurn[]>;
  /** What was said after a place, in order. */
  spokenAfter(workspaceId: string, id: string, seq: number, most: number): Promise<PlacedTurn[]>;
};

/** Signs links to recordings (D6.9). */
export type LinkSigner = { sign(recordingKey: string): string };
