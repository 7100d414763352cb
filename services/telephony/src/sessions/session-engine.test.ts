import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import type { MediaSession } from '@parley/media';
import { customTool, nativeTool } from '../../tests/place-call.ts';
import { departsNow, dialingCall, sessionDeps, silentCarrier, snapshot } from '../../tests/session-parts.ts';
import { prepareAssistant } from '../assistants/prepare-prompt.ts';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import type { LegEvent, LegListener, TransferRequest } from '../carriers/call-control.ts';
import type { Carrier } from '../carriers/carrier.ts';
import type { TextLine } from '../carriers/media.ts';
import type { ConversationEngine, EngineInput, EngineOutput } from '../engines/engine.ts';
import type { CallState } from './call.ts';
import type { CallSession, SessionDeps } from './call-session.ts';
import type { Change, Entry } from './ports.ts';
import { createCallSession } from './session.ts';
import { createArgumentCheck } from './tools/check-arguments.ts';
import { createToolRunner } from './tools/run-tool.ts';

const clock = createClock({ rate: 1, originMs: 0 });
const settled = () => new Promise((resolve) => setImmediate(resolve));

const sessions: CallSession[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.release(0);
});

type Given = {
  lead: (input: EngineInput, output: EngineOutput) => Promise<void>;
  nonBlockingTools?: boolean;
  config?: Record<string, unknown>;
  tools?: ReturnType<typeof customTool>[];
  carrier?: Partial<Carrier>;
  deps?: Partial<SessionDeps>;
};

/** A call that was answered a moment ago and that the engine leads. */
async function talking({
  lead,
  nonBlockingTools = false,
  config = {},
  tools = [],
  carrier = {},
  deps: given = {},
}: Given) {
  const said: string[] = [];
  const entries: Entry[] = [];
  const states: CallState[] = [];
  const timeline: TimelineEvent[] = [];
  const hungUp: string[] = [];
  let listener: LegListener = () => {};
  const silent: Carrier = {
    ...silentCarrier,
    capabilities: { ...silentCarrier.capabilities, transfer: true },
    watch: (_, listen) => {
      listener = listen;
      return () => {};
    },
    media: () => ({
      kind: 'text',
      line: { say: async (text) => void said.push(text), hear: () => new Promise(() => {}) },
    }),
    hangup: async (reference) => void hungUp.push(reference),
    ...carrier,
  };
  const engine: ConversationEngine = { capabilities: { nonBlockingTools }, run: lead };
  const deps = {
    ...sessionDeps(silent, clock),
    ...given,
    findEngine: ({ provider }: { provider: string }) => (provider === 'builtin' ? engine : undefined),
    turns: {
      append: (_: unknown, entry: Entry) => void entries.push(entry),
      correct: () => {},
      drained: async () => true,
      forget: () => {},
    },
    writes: {
      holds: async () => true,
      save: async (_: unknown, __: unknown, change: Change) => {
        states.push(change.state);
        timeline.push(...change.timeline);
        return true;
      },
    },
    runTool: createToolRunner({
      allowed: { allowCidrs: [] },
      checkArguments: createArgumentCheck(),
      carrier: silent,
      clock,
      log: createLogger({ service: 'test', level: 'silent' }),
      knowledge: { search: async () => [] },
      outbound: { send: () => new Promise(() => {}), close: async () => {} },
      settings: { get: async () => null },
    }),
  };
  const assistant = prepareAssistant({ ...snapshot, config, tools }, {});
  const state = { ...dialingCall.state, startedAt: clock.now() };
  const call = { ...dialingCall, state };
  const session = createCallSession(deps, { call, assistant, record: [], onOver: () => {} });
  sessions.push(session);
  session.dial(departsNow);
  await settled();
  const emit = async (event: Record<string, unknown>) => {
    listener({ legId: 'leg', at: clock.now(), ...event } as LegEvent);
    await settled();
  };
  await emit({ type: 'answered' });
  return { said, entries, states, timeline, hungUp, emit };
}

const until = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('tools as the engine sees them', () => {
  const slow = customTool({ tool_name: 'slow', tool_behavior: 'non_blocking', result_scheduling: 'silent' });
  const toolsOf = async (given: Omit<Given, 'lead'>) => {
    let tools: EngineInput['tools'] = [];
    await talking({
      ...given,
      lead: (input) => {
        tools = input.tools;
        return until(input.signal);
      },
    });
    return tools;
  };

  it('include non-blocking behavior only for an engine that runs beside its tools [tools.12]', async () => {
    expect(await toolsOf({ tools: [slow] })).toMatchObject([{ tool_behavior: 'blocking' }, {}]);
    expect(await toolsOf({ tools: [slow], nonBlockingTools: true })).toMatchObject([
      { tool_behavior: 'non_blocking', result_scheduling: 'silent' },
      {},
    ]);
  });

  it('contain no secrets', async () => {
    const [tool] = await toolsOf({ tools: [customTool({ headers: { authorization: 's3cret' } })] });
    expect(JSON.stringify(tool)).not.toMatch(/s3cret|example\.com/);
  });

  it('include its knowledge bases as a tool with a unique name [knowledge.3]', async () => {
    const config = { kbStoreIds: ['6f1b4a52-0d6e-4c39-9b4f-2f5d3a1c7e80'] };
    expect(await toolsOf({ config })).toMatchObject([
      { tool_name: 'search_knowledge_base', tool_type: 'knowledge_base' },
      { tool_name: 'report_voicemail' },
    ]);
    const taken = customTool({ tool_name: 'search_knowledge_base' });
    expect((await toolsOf({ config, tools: [taken] })).map(({ tool_name }) => tool_name)).toEqual([
      'search_knowledge_base',
      'search_knowledge_base_2',
      'report_voicemail',
    ]);
  });

  it('include the report of a voicemail if machines are to be detected', async () => {
    const config = { settings: { voicemail: { detection: false } } };
    expect(await toolsOf({ config })).toEqual([]);
  });
});

describe('report_voicemail [assistants.10]', () => {
  const reports: Given['lead'] = async ({ signal }, { useTool }) => {
    await useTool('report_voicemail', {});
    await until(signal);
  };

  it('ends the call as voicemail', async () => {
    const { entries, timeline, hungUp, states, emit } = await talking({ lead: reports });
    expect(entries).toMatchObject([{ role: 'tool', toolName: 'report_voicemail', toolType: 'native' }]);
    expect(timeline.at(-1)).toMatchObject({ type: 'machine_detected' });
    expect(hungUp).toHaveLength(1);
    await emit({ type: 'ended', cause: 'local', answeredAt: clock.now(), machine: false });
    expect(states.at(-1)).toMatchObject({ reason: 'voicemail', retryable: true });
  });

  it('leaves the message first, if there is one', async () => {
    const voicemail = { detection: true, action: 'leave_message', message: 'Please call back.' };
    const { said, states, hungUp } = await talking({ lead: reports, config: { settings: { voicemail } } });
    expect(said).toEqual(['Please call back.']);
    expect(states.at(-1)).toMatchObject({ voicemailMessageLeft: true });
    expect(hungUp).toHaveLength(1);
  });

  it('breaks the message off when the call goes to another worker, which leaves it again', async () => {
    const voicemail = { detection: true, action: 'leave_message', message: 'Please call back.' };
    const brokenOff: unknown[] = [];
    const line: TextLine = {
      say: (_, signal) =>
        until(signal).catch((err: Error) => {
          brokenOff.push(err.message);
          throw err;
        }),
      hear: () => new Promise(() => {}),
    };
    const carrier: Partial<Carrier> = { media: () => ({ kind: 'text', line }) };
    const { states, hungUp } = await talking({ lead: reports, carrier, config: { settings: { voicemail } } });
    await sessions.pop()?.release(0);
    expect(brokenOff).toEqual(['the call goes to another worker']);
    expect(states.at(-1)).toMatchObject({ machineDetected: true, voicemailMessageLeft: false });
    expect(hungUp).toEqual([]);
  });
});

describe('transfer_call', () => {
  const native = { transfer_call_mode: 'static', transfer_call_destination: '+14155557777' } as const;
  const tools = [nativeTool('transfer_call', { ...native, transfer_call_type: 'warm' })];
  const transfer = { destination: '+14155557777', transfer_type: 'warm' };

  const transferring = async (carrier: Partial<Carrier> = {}, times = 1) => {
    const requests: TransferRequest[] = [];
    const talk = await talking({
      tools,
      carrier: { transfer: async (request) => void requests.push(request), ...carrier },
      lead: async ({ signal }, { useTool }) => {
        await Promise.all(Array.from({ length: times }, () => useTool('transfer_call', {})));
        await until(signal);
      },
    });
    return { ...talk, requests };
  };

  it('asks the carrier, and its result appears on the timeline [calls.11]', async () => {
    const { requests, entries, timeline, emit } = await transferring();
    expect(requests).toMatchObject([{ destination: '+14155557777', type: 'warm' }]);
    const { transferId = '' } = requests[0] ?? {};
    await emit({ type: 'transfer_result', transferId: 'another', ok: true });
    expect(entries).toEqual([]);
    await emit({ type: 'transfer_result', transferId, ok: false });
    const error = 'The destination did not answer';
    expect(entries).toMatchObject([{ toolName: 'transfer_call', outcome: { error } }]);
    expect(timeline.at(-1)).toMatchObject({ type: 'transfer', detail: { ...transfer, ok: false, error } });
  });

  it('appears before the end if it succeeded, even if the carrier reports only the end', async () => {
    const { entries, timeline, states, emit } = await transferring();
    await emit({ type: 'ended', cause: 'transferred', answeredAt: clock.now(), machine: false });
    expect(entries).toMatchObject([{ toolName: 'transfer_call', outcome: { error: null } }]);
    expect(timeline.map(({ type }) => type)).toEqual(['answered', 'transfer', 'ended']);
    expect(timeline[1]).toMatchObject({ detail: { ...transfer, ok: true, error: null } });
    expect(states.at(-1)).toMatchObject({ reason: 'call_transfer' });
  });

  it('of a human who hangs up ends as their hang-up, though its target has to be hung up first', async () => {
    const gone = () => Promise.reject(new Error('the line is closed'));
    const requests: TransferRequest[] = [];
    const { entries, hungUp, states, emit } = await talking({
      tools,
      carrier: {
        transfer: async (request) => void requests.push(request),
        media: () => ({ kind: 'text', line: { say: gone, hear: gone } }),
      },
      lead: async ({ signal, port }, { useTool }) => {
        await useTool('transfer_call', {});
        await port.say('I could not reach them', signal);
      },
    });
    await emit({ type: 'ending' });
    await emit({ type: 'transfer_result', transferId: requests[0]?.transferId, ok: false });
    expect(hungUp).toEqual([]);
    await emit({ type: 'ended', cause: 'remote', answeredAt: clock.now(), machine: false });
    expect(states.at(-1)).toMatchObject({ reason: 'user_hangup' });
    expect(entries.map(({ role }) => role)).not.toContain('agent');
  });

  it('is not started twice, and is an error if the carrier refuses it', async () => {
    const twice = await transferring({}, 2);
    expect(twice.requests).toHaveLength(1);
    expect(twice.entries).toMatchObject([{ outcome: { error: 'Another transfer is pending' } }]);
    const refused = await transferring({ transfer: () => Promise.reject(new Error('no')) });
    expect(refused.entries).toMatchObject([
      { outcome: { error: 'The carrier did not accept the transfer' } },
    ]);
  });
});

describe('keys pressed by the human [calls.18]', () => {
  it('reach the engine and the timeline', async () => {
    const heard: string[] = [];
    const { timeline, emit } = await talking({
      lead: async ({ port, signal }) => {
        heard.push((await port.hear(signal)).text);
        await until(signal);
      },
    });
    await emit({ type: 'dtmf', digits: '42' });
    expect(heard).toEqual(['Pressed 4 2.']);
    expect(timeline.at(-1)).toMatchObject({ type: 'dtmf', detail: { digits: '42', direction: 'received' } });
  });
});

describe('errors of an engine', () => {
  it('arguments that cannot be serialized fit no tool', async () => {
    const nested = JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`);
    const { entries } = await talking({
      tools: [customTool({ tool_name: 'lookup' })],
      lead: async ({ signal }, { useTool }) => {
        await useTool('lookup', nested);
        await useTool('unknown', {});
        await until(signal);
      },
    });
    expect(entries).toMatchObject([
      { toolName: 'lookup', args: null },
      { toolName: 'unknown', outcome: { error: 'There is no tool unknown' } },
    ]);
  });

  it('what it says after the end is not recorded', async () => {
    const { entries, emit } = await talking({
      lead: async ({ signal, port }) => {
        await until(signal).catch(() => port.say('Still here', signal));
      },
    });
    await emit({ type: 'ended', cause: 'remote', answeredAt: clock.now(), machine: false });
    expect(entries).toEqual([]);
  });

  it('a model without an engine ends the call with error [assistants.10]', async () => {
    const { states, hungUp, emit } = await talking({
      config: { model: { provider: 'openai', name: 'gpt' } },
      lead: async () => {},
    });
    expect(hungUp).toHaveLength(1);
    await emit({ type: 'ended', cause: 'local', answeredAt: clock.now(), machine: false });
    expect(states.at(-1)).toMatchObject({ reason: 'error' });
  });

  it('a live model on a line of text ends the call with error, and says why [assistants.23]', async () => {
    const { timeline, hungUp, emit } = await talking({
      config: { model: { provider: 'gemini', name: 'g' } },
      lead: async () => {},
      deps: { live: { serves: (provider) => provider === 'gemini', open: undefined } },
    });
    expect(hungUp).toHaveLength(1);
    await emit({ type: 'ended', cause: 'local', answeredAt: clock.now(), machine: false });
    expect(timeline.at(-1)).toMatchObject({ type: 'ended', detail: { cause: 'no_audio' } });
  });

  it('a failing provider of speech ends the call with an apology and error [calls.20]', async () => {
    const err = Object.assign(new Error('no voice'), { name: 'SpeechError' });
    const { said, timeline, emit } = await talking({ lead: () => Promise.reject(err) });
    expect(said).toEqual([expect.stringMatching(/^I am sorry/)]);
    await emit({ type: 'ended', cause: 'local', answeredAt: clock.now(), machine: false });
    expect(timeline.at(-1)).toMatchObject({ type: 'ended', detail: { cause: 'no_speech' } });
  });

  it('apologizes without a conversation if nothing recognizes speech [calls.20]', async () => {
    const err = Object.assign(new Error('no recognition'), { name: 'SpeechError' });
    const session = {} as MediaSession;
    const apologized: MediaSession[] = [];
    const { hungUp } = await talking({
      lead: async () => {},
      carrier: {
        capabilities: { ...silentCarrier.capabilities, endsSilentLegs: true },
        media: () => ({ kind: 'audio', session }),
      },
      deps: {
        openAudio: () => Promise.reject(err),
        apologize: async (call) => void apologized.push(call.session),
      },
    });
    await settled();
    expect(apologized).toEqual([session]);
    expect(hungUp).toHaveLength(1);
  });

  it.each([
    [false, 'media_lost'],
    [true, 'local'],
  ])(
    'without audio of the human it ends, unless the carrier sees to it itself: %s [calls.20]',
    async (endsSilentLegs, cause) => {
      const { timeline, emit, hungUp } = await talking({
        lead: async () => {},
        carrier: {
          capabilities: { ...silentCarrier.capabilities, endsSilentLegs },
          media: () => ({
            kind: 'audio',
            session: { stats: () => ({ lastReceivedAtMs: -1e9 }) } as unknown as MediaSession,
          }),
        },
        deps: { openAudio: () => new Promise(() => {}) },
      });
      await settled();
      expect(hungUp).toHaveLength(endsSilentLegs ? 0 : 1);
      await emit({ type: 'ended', cause: 'local', answeredAt: clock.now(), machine: false });
      expect(timeline.at(-1)).toMatchObject({ type: 'ended', detail: { cause } });
    },
  );

  it.each([
    ['the human hangs up', 'ended'],
    ['the call goes to another worker', 'up'],
  ])('records what was heard of an apology when %s, and does not hang up [calls.20]', async (_, phase) => {
    const err = Object.assign(new Error('no recognition'), { name: 'SpeechError' });
    const recorded: unknown[] = [];
    const call = await talking({
      lead: async () => {},
      carrier: {
        capabilities: { ...silentCarrier.capabilities, endsSilentLegs: true },
        media: () => ({ kind: 'audio', session: {} as MediaSession }),
      },
      deps: {
        openAudio: () => Promise.reject(err),
        apologize: async ({ record, signal }) => {
          const aborted = until(signal);
          await aborted.catch(() => {});
          await settled();
          record.note({ role: 'agent', content: 'I am sorry' });
          recorded.push(call.states.at(-1)?.phase);
          await aborted;
        },
      },
    });
    await settled();
    if (phase === 'ended')
      await call.emit({ type: 'ended', cause: 'remote', answeredAt: clock.now(), machine: false });
    else await sessions.pop()?.release(0);
    await settled();
    expect(recorded).toEqual(['up']);
    expect([call.states.at(-1)?.phase, call.hungUp]).toEqual([phase, []]);
    expect(call.entries).toMatchObject([{ content: 'I am sorry' }]);
  });

  it('a failing engine ends the call with error', async () => {
    const { hungUp } = await talking({ lead: () => Promise.reject(new Error('broken')) });
    expect(hungUp).toHaveLength(1);
  });
});
