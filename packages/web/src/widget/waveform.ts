import type { Volume } from '../call/call.ts';

const BAR = 3;
const GAP = 3;
const MIN_HEIGHT = 3;

/** The last seconds of both sides, the newest in the middle: the assistant in its colors, the visitor in grey. */
export function createWaveform(
  canvas: HTMLCanvasElement,
  colors: () => { agent: string; user: string; idle: string },
) {
  let history: Volume[] = [];
  let frame = 0;

  const draw = (): void => {
    frame = 0;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (width === 0) return;
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext('2d');
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const { agent, user, idle } = colors();
    const half = Math.ceil(width / 2 / (BAR + GAP));
    for (let n = -half; n <= half; n += 1) {
      const { input = 0, output = 0 } = history[history.length - 1 - Math.abs(n)] ?? {};
      const level = Math.max(input, output);
      // Quiet speech is seen too, and the ends fade.
      const shape = 1 - (Math.abs(n) / half) ** 2 * 0.75;
      const tall = MIN_HEIGHT + Math.sqrt(level) * (height - 24) * shape;
      context.fillStyle = level < 0.02 ? idle : output >= input ? agent : user;
      context.beginPath();
      context.roundRect(width / 2 + n * (BAR + GAP) - BAR / 2, (height - tall) / 2, BAR, tall, BAR / 2);
      context.fill();
    }
  };
  const schedule = (): void => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };

  return {
    add: (volume: Volume): void => {
      history = [...history.slice(-199), volume];
      schedule();
    },
    clear: (): void => {
      history = [];
      schedule();
    },
  };
}
