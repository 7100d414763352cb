import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDeepgramDouble, type ProviderDouble } from '@parley/speech/testing';
import { eventually } from '@parley/testkit';
import { callIn, inboundNumber, timelineOf } from './call-in.ts';
import { type Harness, startHarness } from './harness.ts';

const PATIENCE = { timeoutMs: 30_000 };
const HEARD = 'Yes, I am interested.';

let harness: Harness;
let down: ProviderDouble;
let sound: ProviderDouble;

beforeAll(async () => {
  [down, sound] = await Promise.all([createDeepgramDouble(), createDeepgramDouble()]);
  down.behave({ kind: 'unanswered' });
  sound.hears(HEARD);
  const provider = (name: string, { url, key }: ProviderDouble) => ({
    ...{ name, type: 'deepgram', base_url: url, api_key: key },
  });
  harness = await startHarness({
    PROCESSES: 'both',
    CLOCK_RATE: '1',
    SIMULATOR_MEDIA: 'narrowband',
    SPEECH_PROVIDERS: JSON.stringify([provider('down', down), provider('sound', sound)]),
  });
});
afterAll(async () => {
  await harness?.close();
  await Promise.all([down?.close(), sound?.close()]);
});

/** A call, once both sides have been heard. */
async function call(): Promise<void> {
  const number = await inboundNumber(harness);
  const id = await callIn(harness, number, { script: [HEARD, 'Thank you, goodbye.'] });
  await eventually(async () => {
    const timeline = await timelineOf(harness, number.workspaceId, id);
    const roles = new Set(timeline.flatMap(({ type, role }) => (type === 'turn' ? [role] : [])));
    expect(roles).toEqual(new Set(['agent', 'user']));
  }, PATIENCE);
}

it('calls after the one that met a provider of speech that is down use the second one at once [calls.20]', async () => {
  const circuits = async () => {
    const gauge = harness.context.metrics.registry.getSingleMetric('parley_speech_circuit_open');
    return (await gauge?.get())?.values.map(({ labels, value }) => [labels.provider, labels.use, value]);
  };
  expect(await circuits()).toEqual([]);
  await call();
  const both = [
    ['down', 'transcriber', 1],
    ['down', 'voice', 1],
  ];
  await eventually(async () => expect((await circuits())?.sort()).toEqual(both), PATIENCE);
  const asked = down.requests.length;
  expect(asked).toBeGreaterThan(1);
  await call();
  expect(down.requests).toHaveLength(asked);
});
