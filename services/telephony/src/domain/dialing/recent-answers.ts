import { monotonicMs } from '@parley/kit/time';

/** Real time: about as long as a change may take to be noticed. */
const FRESH_MS = 500;

/** Asks for each key at most every half second, and once for those who ask together. Failures are not kept. */
export function recentAnswers<T>(
  ask: (workspaceId: string, key: string) => Promise<T>,
  nowMs = monotonicMs,
): (workspaceId: string, key: string) => Promise<T> {
  const answers = new Map<string, { answer: Promise<T>; askedMs: number }>();
  const forgetOld = (): void => {
    for (const [key, { askedMs }] of answers) if (nowMs() - askedMs >= FRESH_MS) answers.delete(key);
  };
  return (workspaceId, key) => {
    const known = answers.get(`${workspaceId}:${key}`);
    if (known && nowMs() - known.askedMs < FRESH_MS) return known.answer;
    forgetOld();
    const answer = ask(workspaceId, key);
    answers.set(`${workspaceId}:${key}`, { answer, askedMs: nowMs() });
    answer.catch(() => answers.delete(`${workspaceId}:${key}`));
    return answer;
  };
}
