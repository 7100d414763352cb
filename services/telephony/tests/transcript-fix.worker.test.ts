import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Analyzer } from '../src/after-call/analysis/ports.ts';
import { ruleAnalyzer } from '../src/after-call/analysis/rule-analyzer.ts';
import { startWorker } from '../src/start-worker.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import {
  analyzed,
  type ConnectedNumber,
  callFrom,
  connectNumber,
  customTool,
  FAST,
  finished,
  readCall,
} from './place-call.ts';

describe('[calls.14] POST /v2/call/{id}/transcript/fix', () => {
  let harness: Harness;
  let number: ConnectedNumber;
  /** While it is set, every analysis fails. */
  let analyzerIsDown = false;

  const analyzer: Analyzer = {
    analyze: async (...given) => {
      if (analyzerIsDown) throw new Error('no answer');
      return ruleAnalyzer.analyze(...given);
    },
  };

  beforeAll(async () => {
    harness = await startHarness({ ...FAST, PROCESSES: 'api' });
    await startWorker(harness.context, harness.context.lifecycle, { analyzer });
    number = await connectNumber(harness);
  });
  afterAll(() => harness.close());

  const fix = (id: string, workspaceId = number.workspaceId) =>
    harness.ask(workspaceId, 'POST', `/v2/call/${id}/transcript/fix`);

  const talk = async (ending = '4242', from = number): Promise<Json> => {
    const id = await callFrom(harness, from, anyNumber(ending));
    return finished(harness, from.workspaceId, id);
  };

  /** Overwrites the turns with badly recognized ones: only the recording has the real words. */
  const garble = (id: string) =>
    harness.sql
      .$executeRaw`UPDATE turns SET content = 'mumble' WHERE call_id = ${id}::uuid AND role <> 'tool'`;

  /** The words are read, and the call is locked by someone else. */
  const isSaving = async (): Promise<boolean> => {
    const waiting = await harness.sql.$queryRaw<unknown[]>`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query LIKE 'UPDATE calls SET enhanced_transcript%'`;
    return waiting.length > 0;
  };

  const messages = (id: string, many: number) =>
    eventually(() => {
      const heard = analyzed(harness, id);
      expect(heard).toHaveLength(many);
      return heard.map(({ data }) => data);
    });

  it('answers with the single read: enhanced_transcript rebuilt from the recording, one fix used', async () => {
    const call = await talk();
    expect(call).toMatchObject({ enhanced_transcript: null, transcript_fix_count: 0 });
    await garble(call.id);
    const { status, body } = await fix(call.id);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id: call.id, transcript_fix_count: 1, transcript: call.transcript });
    const lines = body.data.enhanced_transcript.split('\n');
    const spoken = lines.map((line: string) => /^\[\d{4}-\S+Z\] (Agent|User): (.+)$/.exec(line)?.slice(1));
    expect(spoken).toEqual(
      call.transcript_json.conversation.map(({ role, content }: Json) => [
        role === 'agent' ? 'Agent' : 'User',
        content,
      ]),
    );
    const read = await readCall(harness, number.workspaceId, call.id);
    expect(read).toEqual({ ...body.data, recording_url: read.recording_url });
    const legacy = await harness.ask(number.workspaceId, 'GET', `/calls?callId=${call.id}`);
    expect(legacy.body.enhanced_transcript).toBe(body.data.enhanced_transcript);
  });

  it('sends call_analyzed again as a new edition, with the better transcript and its tools in place', async () => {
    const tools = [customTool({ tool_name: 'look_up', endpoint_url: 'https://127.0.0.1:1/x' })];
    const withTool = await connectNumber(harness, { agent: { tools } });
    const call = await talk('0010', withTool);
    await garble(call.id);
    // Ids are case-insensitive.
    const { body } = await fix(call.id.toUpperCase(), withTool.workspaceId);
    const [first, second] = await messages(call.id, 2);
    expect([first?.edition, second?.edition]).toEqual([1, 2]);
    const contents = second?.transcript.map((turn) => ('content' in turn ? turn.content : turn.tool_name));
    expect(contents).toEqual(
      first?.transcript.map((turn) => ('content' in turn ? turn.content : turn.tool_name)),
    );
    expect(contents).toContain('look_up');
    expect(second).toMatchObject({
      summary: first?.summary,
      analysis_data: first?.analysis_data,
      tools: first?.tools,
      updated_at: body.data.updated_at,
      recording_sid: body.data.recording_sid,
      recording_url: expect.stringContaining('/recordings/'),
    });
    const timeline = await harness.ask(withTool.workspaceId, 'GET', `/v2/call/${call.id}/timeline`);
    expect(timeline.body.data.at(-1)).toMatchObject({ type: 'analyzed', edition: 2 });
  });

  it('works five times, also concurrently, and is 409 CONFLICT after the fifth', async () => {
    const call = await talk();
    const answers = await Promise.all(Array.from({ length: 8 }, () => fix(call.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 409, 409, 409]);
    const after = await fix(call.id);
    expect([after.status, after.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(await readCall(harness, number.workspaceId, call.id)).toMatchObject({ transcript_fix_count: 5 });
    const editions = (await messages(call.id, 6)).map(({ edition }) => edition);
    expect(editions.sort()).toEqual([1, 2, 3, 4, 5, 6]);
    await expect(
      harness.sql.$executeRaw`UPDATE calls SET transcript_fix_count = 6 WHERE id = ${call.id}::uuid`,
    ).rejects.toThrow('transcript_fix_count');
  });

  it('is 409 CONFLICT during the call', async () => {
    const id = await callFrom(harness, number, anyNumber('0007'));
    await eventually(async () =>
      expect((await readCall(harness, number.workspaceId, id)).status).toBe('in-progress'),
    );
    const { status, body } = await fix(id);
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(body.error.message).toContain('live');
  });

  it.each([
    ['it was switched off', '4242', { recording: { enabled: false } }],
    ['nobody answered', '0002', {}],
  ])('is 409 CONFLICT without a recording: %s', async (_, ending, settings) => {
    const call = await talk(ending, await connectNumber(harness, { settings }));
    const { status, body } = await fix(call.id, call.workspace_id);
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(analyzed(harness, call.id)).toHaveLength(1);
  });

  it('is 409 CONFLICT when the recording was removed', async () => {
    const call = await talk();
    await harness.sql.$executeRaw`UPDATE calls SET recording_key = 'gone.wav' WHERE id = ${call.id}::uuid`;
    expect(await fix(call.id)).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
  });

  it('saves nothing of a recording that was erased and replaced under the same key meanwhile', async () => {
    const call = await talk();
    let fixing: ReturnType<typeof fix> | undefined;
    await harness.sql.$transaction(async (tx) => {
      const [row] = await tx.$queryRaw<{ key: string }[]>`
        UPDATE calls SET recording_sid = 'another' WHERE id = ${call.id}::uuid RETURNING recording_key AS key`;
      fixing = fix(call.id);
      await eventually(async () => expect(await isSaving()).toBe(true));
      // The file that replaces it is not there yet, so that only the erased one can be the source of what is saved.
      await harness.context.recordings.remove(row?.key ?? '');
    });
    expect(await fixing).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(await readCall(harness, number.workspaceId, call.id)).toMatchObject({
      enhanced_transcript: null,
      transcript_fix_count: 0,
    });
  });

  it('before the analysis changes its content, and sends nothing by itself', async () => {
    analyzerIsDown = true;
    const id = await callFrom(harness, number, anyNumber('4242'));
    await eventually(async () =>
      expect((await readCall(harness, number.workspaceId, id)).recording_url).not.toBeNull(),
    );
    await garble(id);
    const { status, body } = await fix(id);
    expect([status, body.data.transcript_fix_count]).toEqual([200, 1]);
    analyzerIsDown = false;
    const [message] = await messages(id, 1);
    expect(message?.edition).toBe(1);
    expect(JSON.stringify(message?.transcript)).not.toContain('mumble');
    await fix(id);
    expect((await messages(id, 2)).map(({ edition }) => edition)).toEqual([1, 2]);
  });

  it('is 404 for a call of another workspace and an unknown one, 422 for a malformed id', async () => {
    const call = await talk();
    expect(await fix(call.id, newWorkspace())).toMatchObject({ status: 404 });
    expect(await fix(randomUUID())).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    expect(await fix('1')).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_FAILED' } } });
  });
});
