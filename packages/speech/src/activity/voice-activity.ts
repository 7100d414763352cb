import createModule from '@echogarden/fvad-wasm';
import { createResampler, FRAME_MS, samplesIn } from '@parley/media';

/** Distinguishes speech from other sounds in the audio of one call. */
export type VoiceActivity = {
  /** Whether these 20 ms of mono PCM contain speech. */
  isVoice(samples: Int16Array): boolean;
  /** Frees the detector, which must not be used afterwards. */
  close(): void;
};

/** Creates the detector of one call, for frames of this rate. */
export type VoiceActivityFactory = (sampleRate: number) => VoiceActivity;

/** Rates that libfvad supports without resampling. */
const NATIVE_RATES: readonly number[] = [8_000, 16_000, 32_000, 48_000];
const RATE_OF_OTHERS = 16_000;
/** 0 to 3; higher values classify fewer sounds as speech. */
const DEFAULT_MODE = 2;
const BYTES_PER_SAMPLE = 2;

/**
 * Loads libfvad, the voice activity detection of WebRTC, as WebAssembly: one instance of 17 MB per process, 1 kB and about 5 µs per frame for
 * each call.
 */
export async function loadVoiceActivity(mode = DEFAULT_MODE): Promise<VoiceActivityFactory> {
  const fvad = await createModule();
  const frameAt = fvad._malloc(samplesIn(FRAME_MS, 48_000) * BYTES_PER_SAMPLE);
  return (sampleRate) => {
    const rate = NATIVE_RATES.includes(sampleRate) ? sampleRate : RATE_OF_OTHERS;
    const resampler = createResampler(sampleRate, rate);
    const frameSamples = samplesIn(FRAME_MS, rate);
    const handle = fvad._fvad_new();
    if (handle === 0) throw new Error('Out of memory for voice activity detection');
    fvad._fvad_set_mode(handle, mode);
    fvad._fvad_set_sample_rate(handle, rate);
    return {
      isVoice(samples) {
        const frame = resampler.process(samples);
        if (frame.length !== frameSamples) throw new RangeError(`Not a frame of ${FRAME_MS} ms`);
        // Looked up each time: the view is replaced when the memory grows.
        fvad.HEAP16.set(frame, frameAt / BYTES_PER_SAMPLE);
        return fvad._fvad_process(handle, frameAt, frameSamples) === 1;
      },
      close: () => fvad._fvad_free(handle),
    };
  };
}
