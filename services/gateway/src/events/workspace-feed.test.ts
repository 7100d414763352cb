import { describe, expect, it } from '@jest/globals';
import type { DashboardChange } from '@parley/contracts';
import { createWorkspaceFeed } from './workspace-feed.ts';

const AT = '2026-03-14T09:26:53.589Z';
const START_MS = 1_000_000;

function change(n: number, what: string): DashboardChange {
  return { type: 'call', id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, what, at: AT };
}

/** The events for a page that was disconnected while `count` resources changed. */
function resumedAfter(count: number, what = 'ended'): string[] {
  let nowMs = START_MS;
  const feed = createWorkspaceFeed(() => nowMs);
  nowMs += 10_000;
  const lastId = nowMs;
  feed.add(
    Array.from({ length: count }, (_, n) => change(n, what)),
    [],
  );
  nowMs += 1_000;
  const texts: string[] = [];
  feed.subscribe({ send: (text) => texts.push(text) }, lastId);
  return texts.slice(1);
}

describe('a page that resumes its stream [dashboard.7]', () => {
  it('gets what it missed, 100 resources at a time', () => {
    const texts = resumedAfter(250);
    expect(texts).toHaveLength(3);
    expect(texts.join('').match(/"id":/g)).toHaveLength(250);
  });

  it('is told to read everything again instead of getting more than it may leave unread', () => {
    for (const texts of [resumedAfter(2_000), resumedAfter(150, 'x'.repeat(2_000))]) {
      expect(texts).toHaveLength(1);
      expect(texts[0]).toContain('event: reset');
    }
  });
});
