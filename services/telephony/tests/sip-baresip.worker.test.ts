import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkFlite, checkPocketsphinx, createFlite, createPocketsphinx } from '@parley/speech';
import { eventually, freePort } from '@parley/testkit';
import type { FindSpeech } from '../src/speech/find-speech.ts';
import { startWorker } from '../src/start-worker.ts';
import { inboundNumber } from './call-in.ts';
import { type Harness, type Json, startHarness } from './harness.ts';
import { callFrom, finished, nativeTool } from './place-call.ts';
import { hasBaresip, type Person, startPerson } from './sip/baresip.ts';
import { dial, sipProcess, sipWorld, trunkAt } from './sip/sip-process.ts';
import { hasTone, wordsHeard } from './sip/words-heard.ts';

const PATIENCE = { timeoutMs: 60_000 };
const GREETING = 'Welcome to the Acme company.';
const WHO = 'who is this';
const END = 'please end this call';
const TRANSFER = 'please transfer me to a person';
/** Never said. */
const DECOY = 'the weather is nice today';
const THEM = '+12025550199';

const isInstalled =
  hasBaresip() &&
  (await Promise.all([checkFlite(), checkPocketsphinx()]).then(
    () => true,
    () => false,
  ));
if (!isInstalled)
  console.warn('baresip, flite or pocketsphinx is not installed: calls with baresip are skipped');

/** flite speaks, and pocketsphinx recognizes these sentences. */
const speech: FindSpeech = async () => {
  const stt = createPocketsphinx();
  return {
    stt: { ...stt, open: (options) => stt.open({ ...options, phrases: [WHO, END, TRANSFER] }) },
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

  it('calls a person: its words are understood, it hears sound, and the call ends by its tool [sip.1] [sip.9]', async () => {
    const person = await startPerson({
      number: THEM,
      says: [
        { afterSeconds: 5, text: WHO },
        { afterSeconds: 12, text: END },
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
    const [heard = new Int16Array()] = await person.heard();
    // The grammar has sentences that were not said, too.
    const said = turns('agent').map(plain);
    const words = await wordsHeard(heard, [...said, WHO, END, TRANSFER, DECOY]);
    expect(said.length).toBeGreaterThan(0);
    for (const sentence of said) expect(words).toContain(sentence);
    expect(words).not.toContain(DECOY);
  });

  it('exchanges keys with a person in both directions [sip.9]', async () => {
    const person = await startPerson({ number: THEM, says: [] });
    const here = sipProcess(sipWorld());
    people.push(person, { ...person, stop: here.stop });
    const call = await dial(here, trunkAt(person.port));
    await call.until('media', 30_000);
    const media = here.carrier.media(call.reference);
    const heard: string[] = [];
    if (media?.kind === 'audio') media.session.onDigit((key) => void heard.push(key));
    await here.carrier.sendDigits(call.reference, '42#');
    await eventually(() => expect(keysAt(person)).toEqual(['4', '2', '#']), PATIENCE);
    for (const key of ['1', '5', '*']) {
      person.type(key);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    await eventually(() => expect(heard).toEqual(['1', '5', '*']), PATIENCE);
    await here.carrier.hangup(call.reference);
    await call.until('ended');
  });

  const TONES = { caller: 1_300, desk: 900 };

  /** A person calls the number, asks for a person, and the assistant transfers it to a desk. */
  const transferring = async (type: 'cold' | 'warm') => {
    const desk = await startPerson({
      number: 'desk',
      says: [
        { afterSeconds: 1, text: 'Hello, this is the desk.' },
        { afterSeconds: type === 'warm' ? 8 : 1, hz: TONES.desk, seconds: 30 },
      ],
    });
    const caller = await startPerson({
      number: THEM,
      says: [
        { afterSeconds: 6, text: TRANSFER },
        { afterSeconds: 8, hz: TONES.caller, seconds: 30 },
      ],
    });
    people.push(desk, caller);
    const transfer = nativeTool('transfer_call', {
      transfer_call_mode: 'static',
      transfer_call_destination: `sip:desk@127.0.0.1:${desk.port};transport=tcp`,
      transfer_call_type: type,
    });
    const number = await inboundNumber(harness, {
      agent: { tools: [transfer], config: { firstMessage: GREETING } },
      number: { termination_uri: `127.0.0.1:${caller.port}`, transport: 'tcp' },
    });
    const { workspaceId } = number;
    caller.type(`/dial sip:${number.phoneNumber}@127.0.0.1:${port};transport=tcp\n`);
    const withOutput = (err: unknown): never => {
      throw new Error(`${err}\n${desk.output().slice(-1_500)}\n${caller.output().slice(-1_500)}`);
    };
    await eventually(() => expect(desk.output()).toContain('Call established'), PATIENCE).catch(withOutput);
    /** Resolves with the call's id. */
    const succeeded = (): Promise<string> =>
      eventually(async () => {
        const { body } = await harness.ask(workspaceId, 'POST', '/v2/call/list', { body: {} });
        const entries = await timelineOf(workspaceId, body.data[0].id);
        expect(entries.find((entry) => entry.type === 'transfer')).toMatchObject({ ok: true });
        return body.data[0].id as string;
      }, PATIENCE).catch(withOutput);
    const hears = (person: Person, hz: number): Promise<void> =>
      eventually(
        async () => expect((await person.heard()).some((heard) => hasTone(heard, hz))).toBe(true),
        PATIENCE,
      ).catch(withOutput);
    return { desk, caller, workspaceId, succeeded, hears };
  };

  it('answers a person and connects it to a second one, which hears who calls and presses 1: each hears the other and its keys [sip.12] [sip.16]', async () => {
    const { desk, caller, workspaceId, succeeded, hears } = await transferring('warm');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    desk.type('1');
    const id = await succeeded();
    await Promise.all([hears(desk, TONES.caller), hears(caller, TONES.desk)]);
    caller.type('7');
    desk.type('3');
    await eventually(() => expect([keysAt(desk), keysAt(caller)]).toEqual([['7'], ['3']]), PATIENCE);
    desk.type('b');
    const call = await eventually(() => finished(harness, workspaceId, id), PATIENCE);
    expect(call).toMatchObject({
      disconnection_reason: 'call_transfer',
      call_type: 'inbound',
      from_number: THEM,
    });
  });

  it('has a person call a second one by REFER, and leaves both to each other [sip.15]', async () => {
    const { desk, caller, workspaceId, succeeded, hears } = await transferring('cold');
    const id = await succeeded();
    const call = await eventually(() => finished(harness, workspaceId, id), PATIENCE);
    expect(call).toMatchObject({ disconnection_reason: 'call_transfer', from_number: THEM });
    // Traces are stored after the messages.
    const sent = await eventually(async () => {
      const { body } = await harness.callAsService(workspaceId, 'GET', `/internal/calls/${id}/sip-trace`);
      const messages = body.data.filter(({ direction }: Json) => direction === 'sent');
      expect(messages.some(({ message }: Json) => /^BYE /.test(message))).toBe(true);
      return messages;
    }, PATIENCE);
    expect(sent.some(({ message }: Json) => /^REFER /.test(message))).toBe(true);
    expect(sent.some(({ message }: Json) => /^INVITE /.test(message))).toBe(false);
    // A call of its own, without us: the caller's words are the first that the desk hears.
    await hears(caller, TONES.desk);
    await eventually(async () => {
      const [heard = new Int16Array()] = await desk.heard();
      expect(await wordsHeard(heard, [WHO, END, TRANSFER, DECOY])).toContain(TRANSFER);
    }, PATIENCE);
    caller.type('b');
  });
});

/** Keys that a person has heard. */
function keysAt(person: Person): (string | undefined)[] {
  return [...person.output().matchAll(/received event: '(.)' \(end=0\)/g)].map(([, key]) => key);
}

/** As pocketsphinx writes words. */
function plain(text: string): string {
  return (text.toLowerCase().match(/[a-z']+/g) ?? []).join(' ');
}
