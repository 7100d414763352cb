import { realTimer } from '@parley/kit/time';
import { failed, type ToolOutcome } from './tool-outcome.ts';

/** Waits for a tool no longer than its timeout, in real time (D9), and not beyond the call. */
export function within(
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
      resolve(failed('The call was over'));
    };
    const cancel = realTimer(timeoutSeconds * 1000, () => {
      end();
      resolve(failed(`The tool did not answer within ${timeoutSeconds} seconds`));
    });
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(end);
  });
}
