import type { Sql } from '@parley/kit/db';
import type { KnowledgeBases } from '../assistants/ports.ts';
import type { Page, Search } from '../ports.ts';
import type { KnowledgeDocument } from './document.ts';
import type { KnowledgeBase } from './knowledge-base.ts';
import type { SearchPlan, TermCount } from './plan-search.ts';
import type { FoundPassage } from './rank-passages.ts';

/** How a knowledge base is told apart in the index of passages, and how many it has. */
export type IndexedBase = { id: string; number: string; passageCount: number };

export type KnowledgeBaseStore = KnowledgeBases & {
  find(workspaceId: string, id: string): Promise<KnowledgeBase | undefined>;
  /** Newest first. */
  page(workspaceId: string, search: Search): Promise<Page<KnowledgeBase>>;
  findIndexed(workspaceId: string, ids: readonly string[]): Promise<IndexedBase[]>;
  insert(tx: Sql, base: KnowledgeBase): Promise<void>;
  /** Keeps others from adding or removing documents until the transaction ends; false where there is no such base. */
  hold(tx: Sql, workspaceId: string, id: string): Promise<boolean>;
  /** Keeps assistants from taking it as well. */
  holdAlone(tx: Sql, workspaceId: string, id: string): Promise<boolean>;
  /** Moves its counters and `updatedAt`, and holds it from then on; false where there is no such base. */
  count(tx: Sql, workspaceId: string, id: string, change: CountChange): Promise<boolean>;
  /** It is gone for everybody, and its documents with it. No assistant may name it any more. */
  remove(tx: Sql, workspaceId: string, id: string, at: Date): Promise<void>;
  /** Frees what some documents of removed bases take; false when nothing is left of them. */
  sweep(documents: number): Promise<boolean>;
};

export type CountChange = { documents: number; passages: number; at: Date };

/** A part of a document's text, with its words for the index. */
export type NewPassage = { text: string; words: string };

/** Documents of a base that is known to be the workspace's. */
export type DocumentStore = {
  /** Newest first. */
  page(knowledgeBaseId: string, page: { limit: number; offset: number }): Promise<Page<KnowledgeDocument>>;
  find(
    knowledgeBaseId: string,
    id: string,
  ): Promise<{ document: KnowledgeDocument; text: string } | undefined>;
  insert(
    tx: Sql,
    document: KnowledgeDocument,
    index: { number: string; titleWords: string; passages: readonly NewPassage[] },
  ): Promise<void>;
  /** How many passages went with it; undefined where the base has no such document. */
  remove(tx: Sql, knowledgeBaseId: string, id: string): Promise<number | undefined>;
};

/** The index of passages, as of one search; `numbers` are those of the bases that are searched. */
export type PassageReader = {
  /** What to look for, as the index spells it: words that only connect others are left out. */
  countTerms(numbers: readonly string[], words: readonly string[]): Promise<TermCount[]>;
  /** The most promising passages, best first. */
  find(numbers: readonly string[], plan: SearchPlan, most: number): Promise<FoundPassage[]>;
};

export type PassageIndex = {
  read<R>(work: (reader: PassageReader) => Promise<R>): Promise<R>;
  /** Those of the words that one of the terms stands for. */
  matching(terms: readonly TermCount[], words: readonly string[]): Promise<ReadonlySet<string>>;
};
