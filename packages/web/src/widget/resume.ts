/** A call that this tab was in: it goes on after the page was loaded again, for as long as the server keeps it. */
export type Resumable = {
  accessToken: string;
  participant: string;
  mode: 'audio' | 'text';
  /** When the visitor and the assistant were connected. Undefined before. */
  activeSinceMs?: number | undefined;
};

const WITHIN_MS = 18_000;
/** The page that is being replaced gives its lock back a moment late. */
const LOCKED_WITHIN_MS = 1_000;

/**
 * Makes a call this tab's own: a duplicated tab has a copy of the storage, and would take the audio from this one. Resolves with the
 * function that gives it back, or undefined: another tab is in the call.
 */
export function holdCall(participant: string): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    if (!navigator.locks) return resolve(() => {});
    navigator.locks
      .request(
        `parley-call:${participant}`,
        { signal: AbortSignal.timeout(LOCKED_WITHIN_MS) },
        () => new Promise<void>((release) => resolve(release)),
      )
      .catch(() => resolve(undefined));
  });
}

export function createResume(agentId: string) {
  const key = `parley-call:${agentId}`;
  const attempt = <T>(act: () => T): T | undefined => {
    try {
      return act();
    } catch {
      // Storage may be switched off.
      return undefined;
    }
  };
  return {
    save: (resumable: Resumable): void =>
      void attempt(() => sessionStorage.setItem(key, JSON.stringify({ ...resumable, atMs: Date.now() }))),
    forget: (): void => void attempt(() => sessionStorage.removeItem(key)),
    find: (): Resumable | undefined =>
      attempt(() => {
        const { accessToken, participant, mode, activeSinceMs, atMs } = JSON.parse(
          sessionStorage.getItem(key) ?? '{}',
        );
        const isRecent = Date.now() - atMs < WITHIN_MS;
        return isRecent ? { accessToken, participant, mode, activeSinceMs } : undefined;
      }),
  };
}
