import { describe, expect, it } from '@jest/globals';
import { createPaint } from '@parley/devstack';
import { findGaps } from '../src/find-gaps.ts';
import { showReport } from '../src/report.ts';
import { goodRun } from './good-run.ts';

const plain = createPaint(false);
const report = (run: ReturnType<typeof goodRun>, width: number) =>
  showReport({
    ...run,
    gaps: findGaps(run.results, run.receiver),
    width,
    paint: plain,
    gatewayUrl: 'http://127.0.0.1:8080',
    fromNumber: '+12125550150',
  });

/** What is to be copied isn't broken, whatever the width. */
const isCommand = (line: string) => /^ +(?:curl|export|http)/.test(line);

describe('showReport', () => {
  it.each([80, 100, 140])('fits into %d columns', (width) => {
    const lines = report(goodRun(), width).split('\n');
    const tooWide = lines.filter((line) => line.length > width && !isCommand(line));
    expect(tooWide).toEqual([]);
  });

  it('shows all counters, the deliveries, a transcript and next steps, and no key', () => {
    const text = report(goodRun(), 100);
    expect(text.match(/\+12125550\d{3}/g)?.length).toBeGreaterThan(26);
    expect(text).toMatch(/call_analyzed +31 +31 +31 +31 +0/);
    expect(text).toContain('check_availability {"wish":"Monday at 9 would work for me."} → {"free":true}');
    expect(text).toContain('$PARLEY_KEY');
    expect(text).toContain('✓ All expected results were found.');
    expect(text).not.toMatch(/svc_/);
  });
});
