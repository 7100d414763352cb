import { empty, raw, type SqlClient, type Statement, sql } from '../db/index.ts';

/** The subject of a removal. */
export type RemovalTarget = {
  removalId: string;
  workspaceId: string;
  /** A person; null for everything of the workspace. */
  phoneNumber: string | null;
  keepDoNotCall: boolean;
};

/** Facts about the current pass. */
export type PassFacts = {
  /** Rows since this transaction id may be new to the removal; null in the first pass. */
  sinceXid: string | null;
  /** How often the size of a batch is halved, since batches timed out: of its pages, messages or calls. */
  halvings: number;
};

type Kept = { place: string; count: number; reason: string };

export type StepResult = {
  /** Number of removed records by table or other place. */
  removed?: Record<string, number>;
  kept?: Kept[];
  /** The reason why the step is incomplete; the next pass tries again. */
  waiting?: string | null;
  /** The cursor of the next batch; null when the step is done. */
  next: string | null;
};

/** Of one request of the gateway: work for about a second. */
export type Pace = {
  isOver(): boolean;
  /** Sleeps in proportion to the duration of the work since the last pause. */
  pause(): Promise<void>;
};

/**
 * Removes one bounded batch in the transaction that also stores the progress. Effects outside of the transaction, such as on files,
 * must be idempotent. With a pace, a step may go on while it has changed nothing: its progress is lost with the transaction, but nothing else.
 */
export type RemovalStep = (
  tx: SqlClient,
  target: RemovalTarget & PassFacts,
  cursor: string | null,
  pace?: Pace,
) => Promise<StepResult>;

type AnyStep = (...args: never[]) => unknown;

const givenTo = new WeakMap<AnyStep, string>();

/** Changes with the code of a step, and with what `madeFrom` says of it. */
export const identityOf = (step: AnyStep): string => `${givenTo.get(step) ?? step.name} ${step}`;

/** Notes what the code of a step is given, such as a table and columns: steps of the same code search different things. */
export function madeFrom<Step extends AnyStep>(given: object, step: Step): Step {
  const text = JSON.stringify(given, (_key, value: unknown) =>
    typeof value === 'function' ? identityOf(value as AnyStep) : value,
  );
  givenTo.set(step, text);
  return step;
}

/** The size of a batch: half of `size`, and half of that again, but at least one. */
export function halved(size: number, halvings: number): number {
  return Math.max(1, size >> halvings);
}

/** The condition with the workspace in place of `$1`. */
export function inWorkspace(condition: string, workspaceId: string): Statement {
  const [head = empty, ...rest] = condition.split('$1').map(raw);
  return rest.reduce((statement, part) => sql`${statement}${workspaceId}${part}`, sql`${head}`);
}
