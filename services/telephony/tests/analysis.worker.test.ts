import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Analyzer } from '../src/after-call/analysis/ports.ts';
import { ruleAnalyzer } from '../src/after-call/analysis/rule-analyzer.ts';
import { startWorker } from '../src/start-worker.ts';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import { analyzed, callFrom, connectNumber, FAST, finished } from './place-call.ts';

describe('[calls.13] post-call analysis', () => {
  let harness: Harness;
  /** How often the analyzer of a workspace fails before it works. */
  const failures = new Map<string, number>();
  let asked = 0;

  const flaky: Analyzer = {
    analyze: async (input, signal) => {
      asked += 1;
      const key = String(input.fields[0]?.name);
      const left = failures.get(key) ?? 0;
      failures.set(key, left - 1);
      if (left > 0 || key === 'never') throw new Error('no answer');
      return ruleAnalyzer.analyze(input, signal);
    },
  };

  beforeAll(async () => {
    harness = await startHarness({ ...FAST, PROCESSES: 'api' });
    await startWorker(harness.context, harness.context.lifecycle, { analyzer: flaky });
  });
  afterAll(() => harness.close());

  const analysis = (name: string, enabled = true) => ({
    postCallAnalysis: {
      enabled,
      fields: [
        { type: 'string', name, description: 'What the customer said' },
        { type: 'boolean', name: 'unheard_of', description: '' },
      ],
    },
  });

  it('creates transcript, summary and fields, and publishes them once', async () => {
    const number = await connectNumber(harness, { settings: analysis('customer_name') });
    const id = await callFrom(harness, number, anyNumber('4242'));
    const call = await finished(harness, number.workspaceId, id);
    expect(call.summary).toEqual(expect.any(String));
    const [message, ...more] = analyzed(harness, id);
    expect(more).toEqual([]);
    expect(message?.data).toMatchObject({
      edition: 1,
      call_id: id,
      call_sid: call.call_sid,
      summary: call.summary,
      analysis_data: call.analysis_data,
      recording_sid: call.recording_sid,
      created_at: call.created_at,
      updated_at: call.updated_at,
      duration: call.duration,
      cost: call.cost,
    });
    expect(message?.data.transcript.map((turn) => ('content' in turn ? turn.content : ''))).toEqual(
      call.transcript_json.conversation.map((turn: { content: string }) => turn.content),
    );
  });

  it('is retried until it succeeds', async () => {
    failures.set('customer_wish', 2);
    const number = await connectNumber(harness, { settings: analysis('customer_wish') });
    const before = asked;
    const id = await callFrom(harness, number, anyNumber('4242'));
    const call = await finished(harness, number.workspaceId, id);
    expect(call.summary).not.toBeNull();
    expect(asked - before).toBe(3);
  });

  it('is given up after three hours, and published with the available data', async () => {
    failures.set('never', 0);
    const number = await connectNumber(harness, { settings: analysis('never') });
    const id = await callFrom(harness, number, anyNumber('4242'));
    await eventually(() => expect(failures.get('never')).toBeLessThan(0));
    await harness.sql
      .$executeRaw`UPDATE calls SET ended_at = ended_at - interval '179 minutes', analysis_due_at = ended_at WHERE id = ${id}::uuid`;
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({ summary: null, analysis_data: null });
    expect(call.transcript).not.toBe('');
  });

  it('has no data if it is disabled', async () => {
    const number = await connectNumber(harness, { settings: analysis('customer_name', false) });
    const id = await callFrom(harness, number, anyNumber('4242'));
    expect(await finished(harness, number.workspaceId, id)).toMatchObject({ analysis_data: null });
  });
});
