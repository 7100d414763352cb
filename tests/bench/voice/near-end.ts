import {
  createFallbackSpeechToText,
  createFallbackTextToSpeech,
  createSpokenPort,
  loadVoiceActivity,
} from '@parley/speech';
import { clock, type End, openCall, record, reportOn, rssMib } from '../media/measured-process.ts';
import { deepgramAt, loadDeepgram } from './providers.ts';

// The measured process: `near-end.ts CALLS KIND FAR_PORT` with the provider's address in BENCH_PROVIDER. Each call is a spoken
// conversation over UDP with voice activity detection, streaming recognition, synthesis and a recording. Sends its ports, then a
// report on request.

const [count = '0', , farPort = '0'] = process.argv.slice(2);
const provider = JSON.parse(process.env.BENCH_PROVIDER ?? '{}') as { url: string; key: string };

await loadDeepgram(provider);
const vad = await loadVoiceActivity();
let turns = 0;
globalThis.gc?.();
const emptyMib = rssMib();
const ends: End[] = [];
for (let n = 0; n < Number(count); n += 1) ends.push(await openConversation(n));
reportOn(ends, () => {
  globalThis.gc?.();
  const totalMib = rssMib();
  return { rssMib: totalMib, callMib: (totalMib - emptyMib) / Math.max(1, ends.length), turns };
});

async function openConversation(n: number): Promise<End> {
  const { session, end } = await openCall(Number(farPort));
  await record(session, n);
  const { stt, tts } = deepgramAt(provider);
  const port = createSpokenPort({
    media: session,
    stt: createFallbackSpeechToText(stt, [], { clock }),
    tts: createFallbackTextToSpeech(tts, [], { clock }),
    vad,
    clock,
    language: 'en-US',
  });
  void converse(port);
  return end;
}

async function converse(port: ReturnType<typeof createSpokenPort>): Promise<void> {
  const { signal } = new AbortController();
  await port.say('Good morning, how can I help you today?', signal);
  for (;;) {
    await port.hear(signal);
    turns += 1;
    await port.say('I see. Let me look that up for you, it will only take a moment.', signal);
  }
}
