// Runs in the audio thread: sends the microphone as 20 ms of 16-bit PCM, and plays what it receives. Both at the rate of the call,
// whatever that of the device is.

declare const sampleRate: number;
declare function registerProcessor(name: string, processor: unknown): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

const FRAME_MS = 20;
/** What is collected before playout begins, and again after a gap. */
const TARGET_MS = 80;
/** Beyond this the oldest audio is dropped. */
const MAX_MS = 600;

class PcmProcessor extends AudioWorkletProcessor {
  private readonly rate: number;
  private readonly frame: Int16Array;
  private filled = 0;
  /** Position of the next sample to send between samples of the device. */
  private readAt = 0;
  private last = 0;
  private queue: number[] = [];
  private playAt = 0;
  private isFlowing = false;

  constructor({ processorOptions }: { processorOptions: { sampleRate: number } }) {
    super();
    this.rate = processorOptions.sampleRate;
    this.frame = new Int16Array((this.rate * FRAME_MS) / 1_000);
    this.port.onmessage = ({ data }) => {
      for (const sample of new Int16Array(data)) this.queue.push(sample / 32_768);
      const max = (this.rate * MAX_MS) / 1_000;
      if (this.queue.length > max) this.queue.splice(0, this.queue.length - max / 2);
    };
  }

  process([input]: Float32Array[][], [output]: Float32Array[][]): boolean {
    if (input?.[0]) this.capture(input[0]);
    if (output?.[0]) this.play(output[0]);
    return true;
  }

  private capture(samples: Float32Array): void {
    const step = sampleRate / this.rate;
    for (; this.readAt < samples.length; this.readAt += step) {
      const index = Math.floor(this.readAt);
      const before = index === 0 ? this.last : (samples[index - 1] ?? 0);
      const value = before + ((samples[index] ?? 0) - before) * (this.readAt - index);
      this.frame[this.filled] = Math.max(-1, Math.min(1, value)) * 32_767;
      this.filled += 1;
      if (this.filled < this.frame.length) continue;
      const { buffer } = this.frame.slice();
      this.port.postMessage(buffer, [buffer]);
      this.filled = 0;
    }
    this.readAt -= samples.length;
    this.last = samples[samples.length - 1] ?? 0;
  }

  private play(samples: Float32Array): void {
    const step = this.rate / sampleRate;
    if (this.queue.length >= (this.rate * TARGET_MS) / 1_000) this.isFlowing = true;
    for (let n = 0; n < samples.length; n += 1) {
      const index = Math.floor(this.playAt);
      if (index + 1 >= this.queue.length) this.isFlowing = false;
      if (!this.isFlowing) break;
      const [a = 0, b = 0] = [this.queue[index], this.queue[index + 1]];
      samples[n] = a + (b - a) * (this.playAt - index);
      this.playAt += step;
    }
    const done = Math.floor(this.playAt);
    this.queue.splice(0, done);
    this.playAt -= done;
  }
}

registerProcessor('parley-pcm', PcmProcessor);
