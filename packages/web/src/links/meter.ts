/** How loud both sides are, 0 to 1. */
export type Meter = { listen(side: 'input' | 'output', stream: MediaStream): void; close(): void };

const EVERY_MS = 50;
/** Speech at a usual distance. */
const FULL = 0.25;

export function createMeter(onVolume: (volume: { input: number; output: number }) => void): Meter {
  const context = new AudioContext();
  const analyzers: Partial<Record<'input' | 'output', { source: AudioNode; analyzer: AnalyserNode }>> = {};
  const samples = new Float32Array(1_024);
  const levelOf = (side: 'input' | 'output'): number => {
    const analyzer = analyzers[side]?.analyzer;
    if (!analyzer) return 0;
    analyzer.getFloatTimeDomainData(samples);
    let sum = 0;
    for (const sample of samples) sum += sample * sample;
    return Math.min(1, Math.sqrt(sum / samples.length) / FULL);
  };
  const timer = setInterval(() => onVolume({ input: levelOf('input'), output: levelOf('output') }), EVERY_MS);
  return {
    listen: (side, stream) => {
      analyzers[side]?.source.disconnect();
      const source = context.createMediaStreamSource(stream);
      const analyzer = new AnalyserNode(context, { fftSize: samples.length });
      source.connect(analyzer);
      analyzers[side] = { source, analyzer };
      void context.resume();
    },
    close: () => {
      clearInterval(timer);
      void context.close();
    },
  };
}
