import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkFlite, checkPocketsphinx } from '@parley/speech';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootPlatform, type Platform } from '@parley/testkit/stage';
import { eventsByCall, ownNumber } from './platform/fixtures.ts';

// A phone call with real voices through all services, as the client's server sees it.

const LONG = { timeoutMs: 90_000 };
const [WHO, END] = ['who is this', 'please end this call'];
const isInstalled = await Promise.all([checkFlite(), checkPocketsphinx()]).then(
  () => true,
  () => false,
);

(isInstalled ? describe : describe.skip)('a spoken call through all services', () => {
  let platform: Platform;
  let server: Receiver;
  beforeAll(async () => {
    server = await receiver();
    platform = await bootPlatform({ env: { SIMULATOR_MEDIA: 'wideband', PATH: process.env.PATH ?? '' } });
  });
  afterAll(async () => {
    await platform?.stop();
    await server?.close();
  });

  it('sends its webhooks over HTTP, in order and signed, with the words of both sides and the recording [webhooks.4] [running.11]', async () => {
    const { api, workspace } = platform;
    const assistant = await api.create('/v1/assistant', {
      agent_name: 'Ada',
      config: {
        firstMessage: 'Hello, this is Ada.',
        // The embedded recognition then hears these sentences and nothing else.
        transcriber: { keywords: [WHO, END] },
        settings: { webhookUrl: `${server.url}/hook` },
      },
    });
    const number = await api.create('/v1/phone-number/sip', {
      phone_number: ownNumber(),
      termination_uri: 'sip.example.com',
      inbound_agent_id: assistant.id,
    });
    const caller = { from_number: '+12025554242', to_number: number.phone_number, script: [WHO, END] };
    const { call_id: id } = await api.data('POST', '/simulator/inbound', caller);
    await eventually(() => {
      expect(eventsByCall(server).get(id)).toEqual(['call_started', 'call_ended', 'call_analyzed']);
    }, LONG);
    const [started, ended, analyzed] = server
      .requests('/hook')
      .map((request) => server.verify(request, workspace.webhook_secret) as { payload: Json });
    expect(started?.payload).toMatchObject({ status: 'started', from_number: caller.from_number });
    expect(ended?.payload).toMatchObject({ status: 'completed', disconnection_reason: 'agent_hangup' });
    const { transcript, recording_url } = analyzed?.payload.data ?? {};
    const said = (role: string) =>
      transcript.filter((turn: Json) => turn.role === role).map(({ content }: Json) => content);
    expect(said('user')).toEqual([WHO, END]);
    expect(said('agent')[0]).toBe('Hello, this is Ada.');
    const recording = Buffer.from(await (await fetch(recording_url)).arrayBuffer());
    const seconds = recording.readUInt32LE(40) / recording.readUInt32LE(28);
    expect(Math.abs(seconds - ended?.payload.duration)).toBeLessThanOrEqual(3);
  });
});

type Json = ReturnType<typeof JSON.parse>;
