/** How loud both sides are, 0 to 1. */
export type Meter = { listen(side: 'input' | 'output', stream: MediaStream): void; close(): void };

const EVERY_MS = 50;
/** Speech at a usual distance. */
const FULL = 0.25;

export function createMeter(onVolume: (volume: { input: number; output: number }) => void): Meter {
  const context = new AudioContext();
  const analysers: Partial<Record<'input' | 'output', { source: AudioNode; analyser: AnalyserNode }>> = {};
  const samples = new Float32Array(1_024);
  const levelOf = (side: 'input' | 'output'): number => {
    const analyser = analysers[side]?.analyser;
    if (!analyser) return 0;
    analyser.getFloatTimeDomainData(samples);
    let sum = 0;
    for (const sample of samples) sum += sample * sample;
    return Math.min(1, Math.sqrt(sum / samples.length) / FULL);
  };
  const timer = setInterval(() => onVolume({ input: levelOf('input'), output: levelOf('output') }), EVERY_MS);
  return {
    listen: (side, stream) => {
      analysers[side]?.source.disconnect();
      const source = context.createMediaStreamSource(stream);
      const analyser = new AnalyserNode(context, { fftSize: samples.length });
      source.connect(analyser);
      analysers[side] = { source, analyser };
      void context.resume();
    },
    close: () => {
      clearInterval(timer);
      void context.close();
    },
  };
}
