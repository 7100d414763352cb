import { ParleyError } from '@parley/client/browser';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { noteRefusal } from '../app/session-end.ts';
import { recheckSession, sessionRechecks } from '../app/session-recheck.ts';

/** A tab that a person comes back to becomes visible and gets the focus within this time: one return. */
const SAME_RETURN_MS = 300;

/**
 * Reads the session again when it may have changed, and when the person comes back to the tab [dashboard.30]: the selected workspace
 * belongs to the session, which all tabs of a browser share.
 */
export function useSessionCheck(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let isOver = false;
    let isRunning = false;
    const run = async () => {
      if (isRunning) return;
      isRunning = true;
      for (let checked = -1; checked !== sessionRechecks.get() && !isOver; ) {
        checked = sessionRechecks.get();
        const sentAt = performance.now();
        await import('./check-session.ts')
          .then(({ checkSession }) => checkSession(navigate))
          .catch((error: unknown) => {
            // Without a connection, what the person does next says so.
            if (error instanceof ParleyError && error.status === 401) noteRefusal(sentAt);
          });
      }
      isRunning = false;
    };
    const stop = sessionRechecks.subscribe(() => void run());
    let backAtMs = Number.NEGATIVE_INFINITY;
    const onBack = () => {
      if (document.visibilityState !== 'visible' || performance.now() - backAtMs < SAME_RETURN_MS) return;
      backAtMs = performance.now();
      recheckSession();
    };
    window.addEventListener('focus', onBack);
    document.addEventListener('visibilitychange', onBack);
    return () => {
      isOver = true;
      stop();
      window.removeEventListener('focus', onBack);
      document.removeEventListener('visibilitychange', onBack);
    };
  }, [navigate]);
}
