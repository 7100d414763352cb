/** Plays the assistant. */
export type Speaker = {
  readonly element: HTMLAudioElement;
  play(stream: MediaStream): void;
  stream(): MediaStream | undefined;
  /** Where the browser can choose. */
  setDevice(deviceId: string): Promise<void>;
  close(): void;
};

export function createSpeaker(onStream: (stream: MediaStream) => void): Speaker {
  const element = new Audio();
  element.autoplay = true;
  let current: MediaStream | undefined;
  return {
    element,
    stream: () => current,
    play: (stream) => {
      current = stream;
      element.srcObject = stream;
      // Refused without a gesture; the microphone of a call counts as one.
      element.play().catch(() => {});
      onStream(stream);
    },
    setDevice: async (deviceId) => {
      await element.setSinkId?.(deviceId);
    },
    close: () => {
      element.pause();
      element.srcObject = null;
    },
  };
}
