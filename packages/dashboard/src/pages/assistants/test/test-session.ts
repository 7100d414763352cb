import type { TestTurn } from '@parley/contracts';
import { useCallback, useRef, useState } from 'react';
import { api } from '../../../app/client.ts';
import { newId } from '../../../app/new-id.ts';
import { useSession } from '../../../app/session.ts';
import { noteTest } from '../../../app/tested.ts';
import type { Assistant, Draft } from '../model/draft.ts';
import { mergePatch } from '../model/merge-patch.ts';
import { type LiveLine, readTurn } from './read-turn.ts';

export type Entry = ({ role: 'user'; content: string } | TestTurn['entries'][number]) & { key: string };
export type RunningTool = Extract<LiveLine, { type: 'tool_started' }>;

export type TestState = {
  entries: readonly Entry[];
  /** Tools of this turn without a result yet. */
  running: readonly RunningTool[];
  /** `idle`: not begun; `waiting`: for the assistant; `open`: for the human; `ended`. */
  phase: 'idle' | 'waiting' | 'open' | 'ended';
  endedBy: string | null;
  unresolved: readonly string[];
  isTimedOut: boolean;
  error: unknown;
  /** Milliseconds of the last turn. */
  durationMs: number | null;
  /** The draft that the last turn was spoken with. */
  spokenWith: Draft | null;
};

const IDLE: TestState = {
  entries: [],
  running: [],
  phase: 'idle',
  endedBy: null,
  unresolved: [],
  isTimedOut: false,
  error: undefined,
  durationMs: null,
  spokenWith: null,
};

export type TestOptions = {
  base: Assistant;
  draft: Draft;
  variables: Readonly<Record<string, string>>;
  callType: 'inbound' | 'outbound' | 'web';
  /** The assistant's words of a turn, for a voice. */
  onSpoken?(text: string): void;
};

/** A conversation with the draft by text. The server keeps nothing: each turn sends what was said so far. */
export function useTestSession(options: TestOptions) {
  const [state, setState] = useState<TestState>(IDLE);
  const testId = useRef<string>(undefined);
  const running = useRef<AbortController>(undefined);
  const { workspace_id: workspaceId } = useSession().workspace;
  const latest = useRef({ ...options, workspaceId });
  latest.current = { ...options, workspaceId };

  const turn = useCallback(async (before: readonly Entry[], message: string | null): Promise<void> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { base, draft, variables, callType, onSpoken, workspaceId: tested } = latest.current;
    const shown = message === null ? before : [...before, userEntry(message)];
    setState((now) => ({
      ...now,
      entries: shown,
      running: [],
      phase: 'waiting',
      error: undefined,
      isTimedOut: false,
      spokenWith: draft,
    }));
    try {
      const response = await api.assistants.streamTestTurn(
        {
          agent_id: base.id,
          config: mergePatch(base.config, draft.config),
          call_type: callType,
          transcript: before.map(({ key: _, ...entry }) => entry),
          message,
          dynamic_variables: variables,
          ...(testId.current === undefined ? {} : { test_id: testId.current }),
        },
        { signal: controller.signal, retries: 0, deadlineMs: DEADLINE_MS },
      );
      const answer = await readTurn(response, (line) => {
        if (!controller.signal.aborted) setState((now) => withLine(now, line));
      });
      if (controller.signal.aborted) return;
      testId.current = answer.test_id;
      noteTest(tested);
      setState((now) => ({
        ...now,
        phase: answer.ended_by === null ? 'open' : 'ended',
        endedBy: answer.ended_by,
        unresolved: answer.unresolved_variables,
        isTimedOut: answer.is_timed_out,
        durationMs: answer.duration_ms,
      }));
      const words = answer.entries.flatMap((entry) => (entry.role === 'agent' ? [entry.content] : []));
      if (words.length > 0) onSpoken?.(words.join(' '));
    } catch (error) {
      if (controller.signal.aborted) return;
      // The line that was not answered stays, and can be sent again.
      setState((now) => ({ ...now, entries: shown, running: [], phase: 'open', error }));
    }
  }, []);

  const { entries } = state;
  return {
    ...state,
    /** Nothing more can be said: the next turn would be refused. */
    isFull: entries.length > MAX_ENTRIES,
    start: useCallback(() => {
      testId.current = undefined;
      setState(IDLE);
      return turn([], null);
    }, [turn]),
    send: useCallback(
      async (message: string) => {
        if (entries.length <= MAX_ENTRIES) await turn(entries, message);
      },
      [turn, entries],
    ),
    /** Sends the last line again, after an error. */
    repeat: useCallback(() => {
      const last = entries.at(-1);
      return last?.role === 'user' ? turn(entries.slice(0, -1), last.content) : turn(entries, null);
    }, [turn, entries]),
    reset: useCallback(() => {
      running.current?.abort();
      testId.current = undefined;
      setState(IDLE);
    }, []),
  };
}

export type TestSession = ReturnType<typeof useTestSession>;

/** Of what the API takes as the conversation so far [dashboard.11]. */
const MAX_ENTRIES = 200;
/** A turn takes up to 60 seconds. */
const DEADLINE_MS = 80_000;

function withLine(state: TestState, line: LiveLine): TestState {
  const { entries, running } = state;
  if (line.type === 'tool_started') return { ...state, running: [...running, line] };
  const { entry } = line;
  return {
    ...state,
    entries: [...entries, { ...entry, key: newId() }],
    running:
      entry.role === 'tool'
        ? running.filter(({ tool_call_id }) => tool_call_id !== entry.tool_call_id)
        : running,
  };
}

function userEntry(content: string): Entry {
  return { role: 'user', content, key: newId() };
}
