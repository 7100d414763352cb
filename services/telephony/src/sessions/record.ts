import type { CallUpdate } from '../carriers/call-update.ts';
import type { Call } from './call.ts';
import type { BegunTool, Entry, SpokenEntry, SpokenTurn, ToolEntry, TurnWriter } from './ports.ts';
import { failed } from './tools/tool-outcome.ts';

/** The maximum record of a call [trust.3]. */
export const MAX_TURNS = 2_000;
const MAX_TOOL_BYTES = 1_048_576;
/** Maximum size of spoken and written text as JSON: every tool request and the analysis contain all of it. Two hours of talk are a fifth. */
const MAX_SPOKEN_BYTES = 524_288;
/** Left for last words when the call is being ended. */
const RESERVED_SPOKEN_BYTES = 32_768;
/** Turns left for tools that still run and last words when the call is being ended. */
const RESERVED_TURNS = 10;

/** More entries than one worker can write for a call; a Postgres integer allows 20,000 takeovers. */
const SEQ_GAP = 100_000;
const MAX_GAPS = 20_000;

const NOT_RECORDED = '[not recorded: the results of this call exceed 1 MiB]';
/** The tool is not repeated, since its endpoint could not recognize a duplicate request. */
const INTERRUPTED =
  'The tool was interrupted: it is unknown whether it took effect, and it was not called again';

/**
 * The record of a call. A turn of the assistant is written when it begins and, in calls with audio, corrected to what was
 * heard: a worker that dies in between leaves the planned text, and the next one says it again (`history.ts`).
 */
export type CallRecord = {
  entries: readonly Entry[];
  /** Records an entry, as far as the limits of a call allow. */
  add(entry: SpokenEntry | ToolEntry): Entry | undefined;
  /** Corrects a turn of the assistant to what was heard; removes it if that is nothing. Only for entries of `add`. */
  correct(entry: Entry, heard: SpokenTurn): void;
  /** Records tools that a dead worker had begun as failed. */
  addInterrupted(tools: readonly BegunTool[]): void;
  /** The call has reached its maximum of turns or text and has to end. */
  isFull(): boolean;
};

/** `show`: shows turns and their corrections to the human. */
type Deps = { turns: TurnWriter; now: () => Date; show?: (update: CallUpdate) => void };

/** Entries go to the turn writer at once. Beyond the limits a note replaces tool results, and turns are dropped. */
export function createCallRecord({ turns, now, show }: Deps, call: () => Call, entries: Entry[]): CallRecord {
  let toolBytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
  let spokenBytes = entries.reduce((sum, entry) => sum + spokenBytesOf(entry), 0);
  /** A place is not given again: a removed turn may still be in the database when the next one is written. */
  let lastSeq = entries.at(-1)?.seq ?? -1;
  const write = (entry: SpokenEntry | ToolEntry): Entry => {
    lastSeq = nextSeq(lastSeq, call().fence);
    const written: Entry = { ...entry, seq: lastSeq, at: now() };
    entries.push(written);
    turns.append(call(), written);
    if (written.role !== 'tool')
      show?.({ type: 'turn', seq: written.seq, role: written.role, text: written.content });
    return written;
  };
  return {
    entries,
    isFull: () =>
      entries.length >= MAX_TURNS - RESERVED_TURNS || spokenBytes > MAX_SPOKEN_BYTES - RESERVED_SPOKEN_BYTES,
    addInterrupted: (tools) => {
      for (const tool of tools) write({ role: 'tool', ...tool, outcome: failed(INTERRUPTED) });
    },
    add: (entry) => {
      if (entries.length >= MAX_TURNS) return undefined;
      // A dropped turn counts too: the call is full.
      spokenBytes += spokenBytesOf(entry);
      if (entry.role !== 'tool' && spokenBytes > MAX_SPOKEN_BYTES) return undefined;
      const bytes = bytesOf(entry);
      if (entry.role !== 'tool' || toolBytes + bytes <= MAX_TOOL_BYTES) {
        toolBytes += bytes;
        return write(entry);
      }
      return write({
        ...entry,
        args: {},
        outcome: { ...entry.outcome, result: NOT_RECORDED, documents: null },
      });
    },
    correct: (entry, heard) => {
      const at = entries.findIndex(({ seq }) => seq === entry.seq);
      if (at === -1) return;
      const corrected = { ...entry, ...heard } as Entry;
      spokenBytes += spokenBytesOf(corrected) - spokenBytesOf(entry);
      entries.splice(at, 1, ...(heard.content === '' ? [] : [corrected]));
      turns.correct(call(), { seq: entry.seq, ...heard });
      if (entry.role !== 'tool')
        show?.({ type: 'turn', seq: entry.seq, role: entry.role, text: heard.content });
    },
  };
}

/**
 * The place of the next entry. Each worker that takes a call over starts a gap further, so that entries that the previous
 * one is still writing keep their places.
 */
export function nextSeq(lastSeq: number, fence: number): number {
  const first = Math.min(Math.max(fence - 1, 0), MAX_GAPS) * SEQ_GAP;
  return Math.max(lastSeq + 1, first);
}

/** Arguments count as well: a model may make them as large as results. */
function bytesOf(entry: SpokenEntry | ToolEntry): number {
  if (entry.role !== 'tool') return 0;
  const { result, documents } = entry.outcome;
  return Buffer.byteLength(JSON.stringify([entry.args ?? null, result ?? null, documents]));
}

function spokenBytesOf(entry: SpokenEntry | ToolEntry): number {
  return entry.role === 'tool' ? 0 : Buffer.byteLength(JSON.stringify(entry.content));
}
