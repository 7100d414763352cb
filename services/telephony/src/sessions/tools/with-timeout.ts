import { realTimer } from '@parley/kit/time';
import { failed, type ToolOutcome } from './tool-outcome.ts';

/** Resolves with the tool's outcome, or a failure after its timeout (real time, [running.1]) or at the call's end. */
export function withTimeout(
  timeoutSeconds: number,
  signal: AbortSignal,
  work: Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', leave);
    };
    const leave = (): void => {
      end();
      resolve(failed('The call has ended'));
    };
    const cancel = realTimer(timeoutSeconds * 1000, () => {
      end();
      resolve(failed(`The tool did not respond within ${timeoutSeconds} seconds`));
    });
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(end);
  });
}
