import type { Log } from '@parley/kit/log';
import {
  createFallbackSpeechToText,
  createFallbackTextToSpeech,
  createFlite,
  createPocketsphinx,
  createProviderCircuits,
  FLITE_VOICES,
  firstSpokenOf,
  type ProviderCircuits,
  SpeechError,
  type SpeechToText,
  type TextToSpeech,
} from '@parley/speech';
import { createSpeechProviders, isInstalled, type SpeechProviders } from '@parley/speech/providers';
import type { Config } from '../config.ts';
import { configuredSpeech, type SpeechVariables } from './configured-speech.ts';
import type {
  FindHearing,
  FindSpeech,
  FindVoice,
  HearingChoice,
  Speech,
  SpeechChoice,
} from './find-speech.ts';
import { mediaClock } from './media-clock.ts';
import { createRepeatedSpeech, type RepeatedSpeech } from './repeated-speech.ts';

type SpeechSettings = SpeechVariables & Pick<Config, 'SPEECH_TIMEOUT_SECONDS'>;

type Use = 'voice' | 'transcriber';

/** What the calls of this process know of its providers: further calls do not wait for one that is down [calls.20]. */
export type SpeechCircuits = Readonly<Record<Use, ProviderCircuits>>;

export function createSpeechCircuits(
  onChange?: (use: Use, provider: string, isOpen: boolean) => void,
): SpeechCircuits {
  const of = (use: Use): ProviderCircuits =>
    createProviderCircuits({
      clock: mediaClock,
      onChange: (provider, isOpen) => onChange?.(use, provider, isOpen),
    });
  return { voice: of('voice'), transcriber: of('transcriber') };
}

/**
 * The providers that the operator configured, each with the others as its backups. Embedded providers that are not installed are logged
 * once, here; a call whose assistant has no provider ends, with that reason [calls.20].
 */
export async function createFindSpeech(
  config: SpeechSettings,
  log: Log,
  circuits = createSpeechCircuits(),
): Promise<FindSpeech> {
  const loaded = await loadProviders(config, log);
  const repeated = createRepeatedSpeech();
  return async (choice) => {
    const voice = voiceOf(loaded, circuits.voice, choice, (tts) => repeated(tts, choice));
    const options = { ...loaded.optionsOf(choice), circuits: circuits.transcriber };
    const stt = recognitionOf(loaded.providers, choice, options);
    if (!stt) throw unavailable('No configured provider of SPEECH_PROVIDERS can recognize speech');
    return { stt, ...voice };
  };
}

/** The same providers, for what is said without listening. */
export async function createFindVoice(
  config: SpeechSettings,
  log: Log,
  circuits = createSpeechCircuits(),
): Promise<FindVoice> {
  const loaded = await loadProviders(config, log);
  return async (choice) => voiceOf(loaded, circuits.voice, choice);
}

/** For recordings, which are not urgent. */
const RECORDED_TIMEOUT_MS = 60_000;

/** The same providers, for recordings of calls. */
export async function createFindHearing(config: SpeechSettings, log: Log): Promise<FindHearing> {
  const { providers, optionsOf } = await loadProviders(config, log);
  return async (choice) =>
    recognitionOf(providers, choice, { ...optionsOf(choice), timeoutMs: RECORDED_TIMEOUT_MS });
}

async function loadProviders(config: SpeechSettings, log: Log) {
  const list = configuredSpeech(config);
  const has = async (program: 'flite' | 'pocketsphinx'): Promise<boolean> => {
    if (!list.some(({ type }) => type === program || type === 'builtin')) return false;
    const isThere = await isInstalled(program);
    if (!isThere) log.warn({ program }, 'the embedded provider of speech is not installed');
    return isThere;
  };
  const timeoutMs = config.SPEECH_TIMEOUT_SECONDS * 1_000;
  const providers = await createSpeechProviders(list, config, {
    limits: { connectMs: timeoutMs, silenceMs: timeoutMs },
    embedded: {
      flite: (await has('flite')) ? createFlite() : undefined,
      pocketsphinx: (await has('pocketsphinx')) ? createPocketsphinx() : undefined,
    },
  });
  const optionsOf = ({ callId }: Pick<SpeechChoice, 'callId'>) => ({
    clock: mediaClock,
    // Two attempts, before the next provider is used. Once the human hears a sentence, they wait for one.
    timeoutMs: 2 * timeoutMs,
    silenceMs: timeoutMs,
    onFailure: (err: SpeechError): void => log.warn({ err, callId }, 'a provider of speech failed'),
  });
  return { list, providers, optionsOf };
}

/** Throws SpeechError if none is configured. */
function voiceOf(
  { list, providers, optionsOf }: Awaited<ReturnType<typeof loadProviders>>,
  circuits: ProviderCircuits,
  { voice, callId }: Pick<SpeechChoice, 'voice' | 'callId'>,
  repeated?: (tts: TextToSpeech) => RepeatedSpeech,
): Omit<Speech, 'stt'> {
  const speaking = providers.speaking(voice.provider);
  if (!speaking) throw unavailable('No configured provider of SPEECH_PROVIDERS can speak');
  const speaker = speaking.first.name;
  const voiceId = isEmbedded(list.find(({ name }) => name === speaker)?.type)
    ? fliteVoiceOf(voice.voiceId)
    : // A provider knows only its own voices; for a voice of another provider it uses its default [assistants.20].
      voice.provider === speaker && voice.voiceId !== ''
      ? voice.voiceId
      : undefined;
  // Audio that is repeated says nothing about its provider.
  const observed = circuits.observe(speaking.first);
  const first = repeated?.(observed);
  const backups = speaking.others.map(circuits.observe).map((tts) => ({ tts: repeated?.(tts) ?? tts }));
  const spokenBy = { speed: voice.speed, ...(voiceId !== undefined && { voiceId }) };
  return {
    tts: createFallbackTextToSpeech(first ?? observed, backups, { ...optionsOf({ callId }), circuits }),
    voice: spokenBy,
    ...(first && {
      speakAhead: async (text, language, signal) => {
        const spoken = await firstSpokenOf(text, language);
        if (circuits.isOpen(speaker)) return;
        if (spoken !== undefined) await first.speakAhead(spoken, { ...spokenBy, language, signal });
      },
    }),
  };
}

/** Undefined: none is configured. Throws SpeechError if none supports the line. */
function recognitionOf(
  providers: SpeechProviders,
  { transcriber, lineRate }: HearingChoice,
  options: Parameters<typeof createFallbackSpeechToText>[2],
): SpeechToText | undefined {
  const hearing = providers.hearing(transcriber.provider);
  if (!hearing) return undefined;
  const [first, ...others] = [hearing.first, ...hearing.others]
    .filter(({ minLineRate = 0 }) => minLineRate <= lineRate)
    .map((stt) => stt.forLine?.(lineRate) ?? stt)
    .map((stt) => (stt.minLineRate === undefined ? stt : withGrammar(stt, transcriber.keywords)));
  if (!first)
    throw new SpeechError(
      hearing.first.name,
      'request',
      'does not understand telephone audio: it needs a wideband line',
    );
  const isChosen = transcriber.provider === undefined || transcriber.provider === first.name;
  return asChosen(createFallbackSpeechToText(first, others, options), transcriber, isChosen);
}

function unavailable(message: string): SpeechError {
  return new SpeechError('speech', 'unavailable', message);
}

/** Sets the assistant's language and model for recognition; a model belongs to its provider. */
function asChosen(
  stt: SpeechToText,
  { language, model }: SpeechChoice['transcriber'],
  isChosen: boolean,
): SpeechToText {
  return {
    ...stt,
    open: (given) =>
      stt.open({
        ...given,
        ...(language !== undefined && { language }),
        ...(isChosen && model !== undefined && { model }),
      }),
  };
}

/** Recognizes only given phrases: the assistant's keywords, if it has any. */
function withGrammar(stt: SpeechToText, keywords: readonly string[]): SpeechToText {
  return {
    ...stt,
    open: ({ phrases: _, ...options }) =>
      stt.open({ ...options, ...(keywords.length > 0 && { phrases: keywords }) }),
  };
}

const isEmbedded = (type: string | undefined): boolean => type === 'builtin' || type === 'flite';

/** The standard voices of assistants are names only: flite has others. */
function fliteVoiceOf(voiceId: string): string {
  const known = FLITE_VOICES.find(({ id }) => id === voiceId) ?? FLITE_VOICES[0];
  return known.id;
}
