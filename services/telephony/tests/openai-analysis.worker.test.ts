import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ruleAnalyzer } from '../src/after-call/analysis/rule-analyzer.ts';
import { createFindAnalyzer } from '../src/engines/find-analyzer.ts';
import { type FakeOpenAi, fakeOpenAi } from './fake-openai.ts';
import { anyNumber, type Harness, type Json, startHarness } from './harness.ts';
import { callFrom, connectNumber, FAST, finished } from './place-call.ts';

describe('post-call analysis of an assistant of the provider openai [assistants.17] [calls.13]', () => {
  let harness: Harness;
  let model: FakeOpenAi;

  beforeAll(async () => {
    model = await fakeOpenAi();
    harness = await startHarness({
      ...FAST,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: model.key,
      OPENAI_TIMEOUT_SECONDS: '1',
    });
  });
  afterAll(async () => {
    await harness.close();
    await model.close();
  });
  beforeEach(() => {
    model.analyses.splice(0);
    model.answer(() => ({ text: 'Which tea would you like?' }));
  });

  const fields = [
    { type: 'string', name: 'customer_name', description: 'Who called', examples: 'Ada Novak' },
    { type: 'number', name: 'seats', description: '' },
    { type: 'boolean', name: 'interested', description: '' },
    { type: 'enum', name: 'tea', description: '', choices: ['green', 'black'] },
  ];

  const talk = async (to = '4242'): Promise<Json> => {
    const number = await connectNumber(harness, {
      settings: { postCallAnalysis: { enabled: true, fields } },
    });
    number.agent.config = {
      ...number.agent.config,
      model: { provider: 'openai', name: 'tea-1', temperature: 0.7 },
    };
    return finished(harness, number.workspaceId, await callFrom(harness, number, anyNumber(to)));
  };

  const read = { customer_name: 'Ada', seats: 25, interested: true, tea: 'green' };

  it('uses its model, which gets the conversation and the fields', async () => {
    model.analyze(() => JSON.stringify({ summary: ' They want tea. ', fields: { ...read, more: 1 } }));
    const call = await talk();
    expect(call).toMatchObject({ summary: 'They want tea.', analysis_data: read });
    const [asked, ...more] = model.analyses;
    expect(more).toEqual([]);
    expect(asked.model).toBe('tea-1');
    expect(asked.response_format).toEqual({ type: 'json_object' });
    for (const { name } of fields) expect(asked.messages[0].content).toContain(`"name":"${name}"`);
    expect(asked.messages[0].content).toContain('Ada Novak');
    const lines = asked.messages[1].content.split('\n');
    expect(lines).toEqual(
      call.transcript_json.conversation.map(
        ({ role, content }: Json) => `${role}: ${JSON.stringify(content)}`,
      ),
    );
  });

  it('accepts lenient values, and null for another type', async () => {
    model.analyze(
      () =>
        `Here you are:\n\`\`\`json\n${JSON.stringify({
          summary: 'They want tea.',
          fields: { customer_name: 7, seats: ' 25 ', interested: 'False', tea: 'GREEN' },
        })}\n\`\`\``,
    );
    expect((await talk()).analysis_data).toEqual({
      customer_name: null,
      seats: 25,
      interested: false,
      tea: 'green',
    });
  });

  it('asks for JSON in words if the server does not support formats', async () => {
    model.analyze(({ response_format }) =>
      response_format ? 400 : JSON.stringify({ summary: 'They want tea.', fields: {} }),
    );
    expect(await talk()).toMatchObject({ summary: 'They want tea.', analysis_data: null });
    expect(model.analyses).toHaveLength(2);
  });

  it('is retried while the model fails or returns nothing readable', async () => {
    const answers = [500, 'I am sorry, I can not do that.', '{"fields": {}}'];
    model.analyze(() => answers.shift() ?? JSON.stringify({ summary: 'They want tea.', fields: read }));
    expect(await talk()).toMatchObject({ summary: 'They want tea.', analysis_data: read });
    expect(model.analyses).toHaveLength(4);
  });

  it('needs no model if the human did not speak', async () => {
    expect(await talk('0003')).toMatchObject({ summary: 'The call reached voicemail.' });
    expect(model.analyses).toEqual([]);
  });

  it('uses rules if the operator no longer has a model configured', () => {
    const find = createFindAnalyzer({ openai: undefined, timeoutMs: 1_000, defaultModel: undefined });
    expect(find({ provider: 'openai', name: 'tea-1', temperature: 0 })).toBe(ruleAnalyzer);
  });
});
