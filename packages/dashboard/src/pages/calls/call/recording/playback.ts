/** The player of a recording, which the waveform, the controls and the transcript share. */
export type Playback = {
  readonly audio: HTMLAudioElement;
  positionMs(): number;
  isPlaying(): boolean;
  speed(): number;
  /** Goes to this position, and plays from there if it is playing. */
  seek(positionMs: number): void;
  skip(byMs: number): void;
  toggle(): void;
  setSpeed(speed: number): void;
  /** Called whenever one of these may have changed, ten times a second while it plays. */
  subscribe(listener: () => void): () => void;
};

export const SPEEDS = [0.75, 1, 1.25, 1.5, 2] as const;
const EVERY_MS = 100;
const EVENTS = [
  'play',
  'pause',
  'seeked',
  'seeking',
  'ended',
  'ratechange',
  'loadedmetadata',
  'durationchange',
];

export function createPlayback(audio: HTMLAudioElement): Playback {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  let timer: number | undefined;
  const follow = () => {
    tell();
    window.clearInterval(timer);
    if (!audio.paused) timer = window.setInterval(tell, EVERY_MS);
  };
  const seek = (positionMs: number) => {
    const end = Number.isFinite(audio.duration) ? audio.duration : positionMs / 1000;
    audio.currentTime = Math.min(Math.max(0, positionMs / 1000), end);
    tell();
  };
  return {
    audio,
    positionMs: () => audio.currentTime * 1000,
    isPlaying: () => !audio.paused,
    speed: () => audio.playbackRate,
    seek,
    skip: (byMs) => seek(audio.currentTime * 1000 + byMs),
    toggle: () => {
      // A browser that refuses to play, or a file that cannot be loaded, is reported by the element's own events.
      if (audio.paused) void audio.play().catch(() => undefined);
      else audio.pause();
    },
    setSpeed: (speed) => {
      audio.defaultPlaybackRate = speed;
      audio.playbackRate = speed;
    },
    subscribe: (listener) => {
      if (listeners.size === 0) for (const name of EVENTS) audio.addEventListener(name, follow);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        window.clearInterval(timer);
        for (const name of EVENTS) audio.removeEventListener(name, follow);
      };
    },
  };
}

/** `4:05`, `1:02:03`. */
export function positionText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
