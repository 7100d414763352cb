import type { LiveAnswers } from './live-answers.ts';
import type { LiveLink } from './live-link.ts';
import type { LiveEvent, LiveTool, LiveToolResult } from './live-model.ts';
import type { LiveTurns } from './live-turns.ts';

type ToolRequest = Extract<LiveEvent, { type: 'tool' }>;

export type LiveToolsOptions = {
  tools: readonly LiveTool[];
  /** Tools that end the conversation; current speech is played to its end first. */
  endingTools: ReadonlySet<string>;
  /** Rejects only when the conversation is over. */
  useTool: (name: string, args: unknown) => Promise<LiveToolResult>;
  link: Pick<LiveLink, 'current' | 'answerTool'>;
  turns: Pick<LiveTurns, 'settled'>;
  answers: Pick<LiveAnswers, 'areHeard'>;
  /** The model has the results of all tools for which it has waited. */
  onAnswered: () => void;
  /** A tool is no longer running. */
  onDone: () => void;
  signal: AbortSignal;
};

/** The tools that the model uses. */
export type LiveTools = {
  /** Runs a tool, and hands its result to the model that is connected by then. Ignores the repetition of a request whose tool is running. */
  run(request: ToolRequest): void;
  /** The model no longer wants the results of these requests, and does not wait for them. A tool that has not begun does not run. */
  cancel(ids: readonly string[]): void;
  /** The model waits for a result. */
  readonly areAwaited: boolean;
};

type Running = { isBlocking: boolean; isCancelled: boolean };

/** Models request a few tools at a time. */
const MAX_RUNNING = 20;

const INTERRUPTED = 'The human spoke before it: the call goes on';
const TOO_MANY = 'Too many tools are running';
const ALREADY_RUNNING = 'It is already running, with other arguments';

export function createLiveTools(options: LiveToolsOptions): LiveTools {
  const { tools, endingTools, useTool, link, turns, answers, onAnswered, onDone, signal } = options;
  /** By connection and id. */
  const running = new Map<string, Running>();
  /** The running use of each ending tool. */
  const endings = new Map<string, { args: string; outcome: Promise<LiveToolResult | undefined> }>();
  /** A blocking tool has given its result, while the model waits for others. */
  let isPartlyAnswered = false;

  /** Ids of requests are only unique within a connection. */
  const keyOf = (connection: number, id: string): string => `${connection} ${id}`;

  const areAwaited = (): boolean => [...running.values()].some(({ isBlocking }) => isBlocking);

  /** Another request may have the same id by then. */
  const end = (key: string, state: Running): void => {
    if (running.get(key) === state) running.delete(key);
  };

  /** The model waits for all results before it speaks. */
  const noteIfAnswered = (): void => {
    if (!isPartlyAnswered || areAwaited()) return;
    isPartlyAnswered = false;
    onAnswered();
  };

  /** An ending tool runs once at a time: requests with the same arguments share its result. */
  const use = async (
    name: string,
    args: unknown,
    isOver: () => boolean,
  ): Promise<LiveToolResult | undefined> => {
    const work = async () => (isOver() ? undefined : useTool(name, args));
    if (!endingTools.has(name)) return work();
    const text = JSON.stringify(args ?? null);
    for (let other = endings.get(name); other; other = endings.get(name)) {
      if (other.args !== text) return { result: null, error: ALREADY_RUNNING };
      const answer = await other.outcome;
      // Without one the model has cancelled the other request before it ran.
      if (answer || isOver()) return answer;
    }
    const outcome = work().finally(() => endings.delete(name));
    endings.set(name, { args: text, outcome });
    return outcome;
  };

  const run = async ({ id, name, args }: ToolRequest): Promise<void> => {
    const asked = { link: link.current, id, name, args };
    const key = keyOf(asked.link, id);
    if (running.has(key)) return;
    if (running.size >= MAX_RUNNING) {
      link.answerTool(asked, { result: null, error: TOO_MANY }, 'silent');
      return;
    }

    const tool = tools.find((each) => each.name === name);
    const isBlocking = tool?.behavior !== 'non_blocking';
    const state: Running = { isBlocking, isCancelled: false };
    const isOver = (): boolean => signal.aborted || state.isCancelled;
    running.set(key, state);
    try {
      // The request of the tool contains what the human said.
      await turns.settled();
      const mayRun = !endingTools.has(name) || (await answers.areHeard());
      const answer = mayRun ? await use(name, args, isOver) : { result: null, error: INTERRUPTED };
      if (!answer || isOver()) return;

      end(key, state);
      link.answerTool(asked, answer, isBlocking ? 'now' : tool.scheduling);
      if (isBlocking) isPartlyAnswered = true;
      noteIfAnswered();
    } finally {
      end(key, state);
      onDone();
    }
  };

  return {
    run: (request) => void run(request).catch(() => {}),
    cancel: (ids) => {
      for (const id of ids) {
        const key = keyOf(link.current, id);
        const state = running.get(key);
        if (state) state.isCancelled = true;
        running.delete(key);
      }
      noteIfAnswered();
    },
    get areAwaited() {
      return areAwaited();
    },
  };
}
