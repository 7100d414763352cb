import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import {
  type Codec,
  createMemoryPair,
  createMuLawCodec,
  createOpusCodec,
  createTicker,
  withErrorHandler,
} from '@parley/media';
import { loadOnce } from '../../../load-once.ts';
import { mediaClock } from '../../../speech/media-clock.ts';
import type { LegSoFar } from '../../call-control.ts';
import type { Media } from '../../media.ts';
import type { LegRecord } from '../leg-record.ts';
import type { LegPlan } from '../plan.ts';
import { behaviorOf } from './human-behavior.ts';
import { createHumanVoice, tones } from './human-voice.ts';
import { createSpokenHuman, GREETING, type HumanVoice } from './spoken-human.ts';
import { withoutLeadingSilence } from './without-leading-silence.ts';

/** The platform's end of a simulated line with audio. */
export type SpokenLine = {
  /** Undefined until the line is connected. */
  media(): Media | undefined;
  sendDigits(digits: string): Promise<void>;
  /** Connects the line; `onMedia` when it is. */
  start(onMedia: () => void): void;
  stop(): void;
};

export type SpokenLineOptions = {
  record: LegRecord;
  plan: LegPlan;
  soFar: LegSoFar;
  onHangup: () => void;
};

export type OpenSpokenLine = (options: SpokenLineOptions) => SpokenLine;

type Deps = {
  /** 8 kHz as on the telephone, or 16 kHz. */
  isWideband: boolean;
  /** Tones even where flite is installed. */
  hasTones: boolean;
  clock: Clock;
  log: Log;
  /** Replaces the voices in tests. */
  voice?: HumanVoice;
  saveState: (reference: string, state: unknown) => Promise<void>;
};

const WIDEBAND_RATE = 16_000;

/** Lines between the platform and simulated humans: RTP over packets in memory, in real time [running.11]. */
export function createSpokenLines(deps: Deps): OpenSpokenLine {
  const { isWideband, hasTones, clock, log, saveState } = deps;
  const voice = deps.voice ?? (hasTones ? tones : createHumanVoice(log));
  const greeting = loadOnce(async () =>
    withoutLeadingSilence(await voice(GREETING, new AbortController().signal)),
  );
  const onErrorOf =
    (callId?: string) =>
    (err: unknown): void =>
      log.error({ err, callId }, 'audio of a simulated line failed');
  const ticker = createTicker(mediaClock, onErrorOf());
  const createCodec = async (): Promise<Codec> =>
    isWideband ? createOpusCodec({ sampleRate: WIDEBAND_RATE }) : createMuLawCodec();

  return ({ record, plan, soFar, onHangup }) => {
    const { reference, direction, from, to } = record;
    const behavior = behaviorOf(direction === 'inbound' ? from : to);
    // While it rings: synthesis after the answer is so late on a busy machine that no machine is detected.
    if (behavior.isMachine) greeting().catch(() => {});
    let isOver = false;
    let connected: { media: Media & { kind: 'audio' }; close(): void } | undefined;

    const connect = async (onMedia: () => void): Promise<void> => {
      const codecs = [await createCodec(), await createCodec()];
      if (isOver) {
        for (const codec of codecs) codec.close();
        return;
      }
      const { near, far, close } = createMemoryPair({
        clock: mediaClock,
        ticker: withErrorHandler(ticker, onErrorOf(reference)),
        random: Math.random,
        conditions: behavior.conditions,
        createCodec: () => codecs.pop() ?? createMuLawCodec(),
      });
      const human = createSpokenHuman({
        script: plan.script,
        behavior,
        soFar,
        line: far,
        voice,
        greeting,
        clock,
        random: Math.random,
        onHangup,
        onSaid: (spoken) =>
          void saveState(reference, { spoken }).catch((err: unknown) =>
            log.warn({ err, callId: reference }, 'state of a simulated leg was not stored'),
          ),
      });
      connected = {
        media: { kind: 'audio', session: near },
        close: () => {
          human.stop();
          close();
        },
      };
      onMedia();
      human.start();
    };

    return {
      media: () => connected?.media,
      sendDigits: async (digits) => {
        if (!connected) throw new Error('The line is not connected');
        await connected.media.session.sendDigits(digits);
      },
      start: (onMedia) =>
        void connect(onMedia).catch((err: unknown) =>
          log.error({ err, callId: reference }, 'a simulated line failed'),
        ),
      stop: () => {
        isOver = true;
        connected?.close();
      },
    };
  };
}
