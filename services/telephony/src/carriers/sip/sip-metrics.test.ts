import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@parley/kit/observability';
import type { EndCause, LegEvent } from '../call-control.ts';
import { createSipMetrics } from './sip-metrics.ts';

const about = { legId: null, at: new Date(0) };
const ringing: LegEvent = { ...about, type: 'ringing' };
const answered: LegEvent = { ...about, type: 'answered' };
const ended = (cause: EndCause): LegEvent => ({
  ...about,
  type: 'ended',
  cause,
  answeredAt: null,
  machine: false,
});

async function metricsOf(
  report: (sip: ReturnType<typeof createSipMetrics>, at: (ms: number) => void) => void,
) {
  let nowMs = 0;
  const metrics = createMetrics('test');
  report(
    createSipMetrics(metrics, () => nowMs),
    (ms) => {
      nowMs = ms;
    },
  );
  const text = await metrics.registry.metrics();
  return (name: string, labels = ''): number =>
    Number(new RegExp(`^${name}\\{[^}]*${labels}[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

describe('set-ups of SIP calls', () => {
  it('are timed until the first sign of the far end, and counted once by how they end', async () => {
    const value = await metricsOf((sip, at) => {
      sip.began('one', 'outbound');
      at(300);
      sip.happened('one', ringing);
      at(9_000);
      sip.happened('one', answered);
      sip.happened('one', ended('remote'));
    });
    expect(value('parley_sip_setup_seconds_sum', 'direction="outbound"')).toBe(0.3);
    expect(value('parley_sip_setup_seconds_count', 'direction="outbound"')).toBe(1);
    expect(value('parley_sip_setups_total', 'direction="outbound",outcome="answered"')).toBe(1);
    expect(value('parley_sip_setups_total', 'direction="outbound",outcome="cancelled"')).toBe(0);
  });

  it.each([
    ['busy', 'busy'],
    ['no_answer', 'no_answer'],
    ['refused', 'refused'],
    ['local', 'cancelled'],
    ['remote', 'cancelled'],
    ['transient', 'failed'],
    ['no_route', 'failed'],
    ['lost', 'failed'],
  ] as const)('that end with %s are %s', async (cause, outcome) => {
    const value = await metricsOf((sip) => {
      sip.began('one', 'inbound');
      sip.happened('one', ended(cause));
    });
    expect(value('parley_sip_setups_total', `direction="inbound",outcome="${outcome}"`)).toBe(1);
  });

  it('are not counted for calls that were taken over, or never were one', async () => {
    const value = await metricsOf((sip) => {
      sip.happened('of another worker', ended('remote'));
      sip.began('no capacity', 'inbound');
      sip.dropped('no capacity');
      sip.happened('no capacity', ended('remote'));
    });
    expect(value('parley_sip_setups_total')).toBe(0);
  });
});
