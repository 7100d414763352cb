import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkFlite, checkPocketsphinx, createFlite, createPocketsphinx } from '@parley/speech';
import { eventually, freePort } from '@parley/testkit';
import type { FindSpeech } from '../src/speech/find-speech.ts';
import { startWorker } from '../src/start-worker.ts';
import { inboundNumber } from './call-in.ts';
import { type Harness, type Json, startHarness } from './harness.ts';
import { callFrom, finished, nativeTool } from './place-call.ts';
import { hasBaresip, type Person, startPerson } from './sip/baresip.ts';

const PATIENCE = { timeoutMs: 90_000 };
const GREETING = 'Welcome to the Acme company.';
const [WHO, END] = ['who is this', 'please end this call'];
const THEM = '+12025550199';

const isInstalled =
  hasBaresip() &&
  (await Promise.all([checkFlite(), checkPocketsphinx()]).then(
    () => true,
    () => false,
  ));
if (!isInstalled)
  console.warn('baresip, flite or pocketsphinx is not installed: calls with baresip are skipped');

/** flite speaks, and pocketsphinx recognises these sentences. */
const speech: FindSpeech = async () => {
  const stt = createPocketsphinx();
  return {
    stt: { ...stt, open: (options) => stt.open({ ...options, phrases: [WHO, END] }) },
    tts: createFlite(),
  };
};

(isInstalled ? describe : describe.skip)('a conversation with a person at baresip, in G.722 over TCP', () => {
  let harness: Harness;
  let port: number;
  const people: Person[] = [];
  beforeAll(async () => {
    port = await freePort();
    harness = await startHarness({
      PROCESSES: 'api',
      CLOCK_RATE: '1',
      CARRIERS: 'sip',
      HOST: '127.0.0.1',
      SIP_PORT: String(port),
      RTP_PORT_MIN: '33000',
      RTP_PORT_MAX: '45000',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    });
    await startWorker(harness.context, harness.context.lifecycle, { findSpeech: speech });
  });
  afterAll(async () => {
    await Promise.all(people.map((person) => person.stop()));
    await harness?.close();
  });

  const timelineOf = async (workspaceId: string, id: string): Promise<Json[]> =>
    (await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`)).body.data;

  it('calls a person: both understand each other, keys arrive, and the call ends by its tool [sip.1] [sip.9]', async () => {
    const person = await startPerson({
      number: THEM,
      says: [
        { afterSeconds: 5, text: WHO ?? '' },
        { afterSeconds: 12, text: END ?? '' },
      ],
    });
    people.push(person);
    const number = await inboundNumber(harness, {
      agent: { tools: [nativeTool('end_call')], config: { firstMessage: GREETING } },
      number: { termination_uri: `127.0.0.1:${person.port}`, transport: 'tcp' },
    });
    const { workspaceId } = number;
    const id = await callFrom(harness, number, THEM, { agent_id: number.agent.agent_id });
    const call = await eventually(() => finished(harness, workspaceId, id), PATIENCE).catch(
      (err: unknown) => {
        throw new Error(`${err}\n${person.output()}`);
      },
    );
    const timeline = await timelineOf(workspaceId, id);
    const turns = (role: string) =>
      timeline.filter((entry) => entry.type === 'turn' && entry.role === role).map(({ content }) => content);
    expect(turns('user')).toEqual([WHO, END]);
    expect(turns('agent')[0]).toBe(GREETING);
    expect(call).toMatchObject({ disconnection_reason: 'agent_hangup', call_sid: `call-${id}` });
    expect(call.recording_url).toEqual(expect.any(String));
    // What baresip has heard is as long as the assistant has spoken, and not silent.
    const [heard = new Int16Array()] = await person.heard();
    expect(heard.some((sample) => Math.abs(sample) > 3_000)).toBe(true);
  });
});
