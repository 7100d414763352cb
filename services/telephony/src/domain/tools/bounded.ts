import { createContext, Script } from 'node:vm';

const context = createContext({ work: undefined });
const script = new Script('work()');

/** Whether something took longer than it may. */
export function isOverdue(err: unknown): boolean {
  return err instanceof Error && 'code' in err && err.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/**
 * Does something at once, for so many real milliseconds at most: then it throws (`isOverdue`). For what clients can make
 * arbitrarily slow without giving way to anybody: their patterns above all.
 */
export function bounded<T>(ms: number, work: () => T): T {
  context.work = work;
  try {
    return script.runInContext(context, { timeout: ms }) as T;
  } finally {
    context.work = undefined;
  }
}
