import type { Paint } from '@parley/devstack';
import { createLiveBlock } from '@parley/devstack';
import { createCallRate } from './call-rate.ts';
import { type Progress, progressLine, progressLines } from './progress.ts';

type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown };

export type ProgressView = { show(progress: Progress): void; end(): void };

const REDRAW_EVERY_MS = 200;

/** Shows a campaign's progress from now on; its times keep running between updates. */
export function followProgress(output: Output, paint: Paint): ProgressView {
  const began = performance.now();
  const block = createLiveBlock(output);
  const callRate = createCallRate();
  let latest: { progress: Progress; at: number; callsPerSecond: number } | undefined;
  let peak = 0;

  const draw = (isOver: boolean): void => {
    if (!latest) return;
    const now = performance.now();
    const { nextRetryMs, ...known } = latest.progress;
    const left = nextRetryMs === null ? null : Math.max(0, nextRetryMs - (now - latest.at));
    const view = {
      progress: { ...known, nextRetryMs: left },
      pace: isOver ? `up to ${peak.toFixed(1)} calls/s` : `${latest.callsPerSecond.toFixed(1)} calls/s`,
      elapsedMs: now - began,
    };
    block.show(progressLines(view, output.columns ?? 100, paint), progressLine(view));
  };

  const timer = setInterval(() => draw(false), REDRAW_EVERY_MS);
  return {
    show: (progress) => {
      const at = performance.now();
      latest = { progress, at, callsPerSecond: callRate(at, progress.attempts) };
      peak = Math.max(peak, latest.callsPerSecond);
      draw(false);
    },
    end: () => {
      clearInterval(timer);
      draw(true);
      block.end();
    },
  };
}
