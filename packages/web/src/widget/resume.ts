/** A call that this tab was in: it goes on after the page was loaded again, for as long as the server keeps it. */
export type Resumable = { accessToken: string; participant: string; mode: 'audio' | 'text' };

const WITHIN_MS = 18_000;

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
        const { accessToken, participant, mode, atMs } = JSON.parse(sessionStorage.getItem(key) ?? '{}');
        return Date.now() - atMs < WITHIN_MS ? { accessToken, participant, mode } : undefined;
      }),
  };
}
