import { createLiveBlock } from '../terminal/live-block.ts';
import type { Paint } from '../terminal/paint.ts';
import { createCallRate } from './call-rate.ts';
import { type Progress, progressLine, progressLines } from './progress.ts';

type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown };

export type ProgressView = { show(progress: Progress): void; end(): void };

const REDRAW_EVERY_MS = 200;

/** Shows a campaign's progress from now on; its times go on between the news. */
export function followProgress(output: Output, paint: Paint): ProgressView {
  const began = performance.now();
  const block = createLiveBlock(output);
  const callRate = createCallRate();
  let latest: { progress: Progress; at: number } | undefined;

  const draw = (): void => {
    if (!latest) return;
    const now = performance.now();
    const { nextRetryMs, ...known } = latest.progress;
    const left = nextRetryMs === null ? null : Math.max(0, nextRetryMs - (now - latest.at));
    const view = {
      progress: { ...known, nextRetryMs: left },
      callsPerSecond: callRate(now, known.attempts),
      elapsedMs: now - began,
    };
    block.show(progressLines({ ...view, width: output.columns ?? 100, paint }), progressLine(view));
  };

  const timer = setInterval(draw, REDRAW_EVERY_MS);
  return {
    show: (progress) => {
      latest = { progress, at: performance.now() };
      draw();
    },
    end: () => {
      clearInterval(timer);
      block.end();
    },
  };
}
