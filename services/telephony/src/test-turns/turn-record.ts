import type { BodyOf, TestEntry, TestTurnLine, testAssistant } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import { type Clock, monotonicMs } from '@parley/kit/time';
import type { HistoryTurn } from '../engines/engine.ts';
import type { Entry, ToolEntry } from '../sessions/ports.ts';
import type { ToolInvocation } from '../sessions/tools/run-tool.ts';

type Body = BodyOf<typeof testAssistant>;
type SpokenEntry = Extract<TestEntry, { role: 'agent' }>;

/** What happens in one turn: `entries` for the response, `spoken` for the requests of tools. */
export type TurnRecord = {
  entries: TestEntry[];
  record: Entry[];
  said(entry: SpokenEntry): void;
  begun(use: Pick<ToolInvocation, 'id' | 'tool' | 'args'>): void;
  simulated(toolCallId: string, effect: string): void;
  /** A tool has a result, or was cut off. */
  used(entry: ToolEntry): void;
};

/** Called with what happens, when it happens. */
export type OnLine = (line: Extract<TestTurnLine, { type: 'tool_started' | 'entry' }>) => void;

export function createTurnRecord(body: Body, clock: Clock, onLine: OnLine): TurnRecord {
  const entries: TestEntry[] = [];
  const record = spokenBefore(body, clock.now());
  const begunAtMs = new Map<string, number>();
  const effects = new Map<string, string>();
  const add = (entry: ToolEntry | { role: 'agent'; content: string }): void => {
    record.push({ seq: record.length, at: clock.now(), ...entry });
  };
  const show = (entry: TestEntry): void => {
    entries.push(entry);
    onLine({ type: 'entry', entry });
  };
  return {
    entries,
    record,
    said: (entry) => {
      show(entry);
      add({ role: 'agent', content: entry.content });
    },
    begun: ({ id, tool, args }) => {
      begunAtMs.set(id, monotonicMs());
      onLine({ type: 'tool_started', tool_call_id: id, tool_name: tool.tool_name, arguments: args ?? null });
    },
    simulated: (id, effect) => void effects.set(id, effect),
    used: (entry) => {
      add(entry);
      const { toolCallId: id = newId(), outcome } = entry;
      show({
        role: 'tool',
        tool_call_id: id,
        tool_name: entry.toolName,
        tool_type: entry.toolType,
        arguments: entry.args ?? null,
        result: outcome.result ?? null,
        error: outcome.error,
        status_code: outcome.statusCode,
        documents: outcome.documents && [...outcome.documents],
        duration_ms: Math.round(monotonicMs() - (begunAtMs.get(id) ?? monotonicMs())),
        simulated: effects.get(id) ?? null,
      });
    },
  };
}

/** Engines continue a conversation whose last turn is the human's, as after a takeover. */
export function historyOf({ transcript, message }: Body): HistoryTurn[] {
  const before = transcript.map((entry): HistoryTurn => {
    if (entry.role !== 'tool') return { role: entry.role, content: entry.content };
    const { tool_name: toolName, arguments: args, result, error } = entry;
    return { role: 'tool', toolName, args, result, error };
  });
  return message === null ? before : [...before, { role: 'user', content: message }];
}

function spokenBefore({ transcript, message }: Body, at: Date): Entry[] {
  const spoken = transcript.flatMap((entry) => (entry.role === 'tool' ? [] : [entry]));
  const all = message === null ? spoken : [...spoken, { role: 'user' as const, content: message }];
  return all.map(({ role, content }, seq) => ({ seq, at, role, content }));
}
