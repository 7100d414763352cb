/** A connection that carries the audio of a call. */
export type Link = {
  /** Packets or messages of audio so far: if the number stops growing, the connection is cut. */
  received(): Promise<number>;
  send(message: object): void;
  replaceTrack(track: MediaStreamTrack): Promise<void>;
  close(): void;
};

export type LinkEvents = {
  onMessage: (message: Record<string, unknown>) => void;
  onClosed: () => void;
};

export function readMessage(data: unknown, { onMessage }: LinkEvents): void {
  try {
    onMessage(JSON.parse(String(data)));
  } catch {
    // Of a later version.
  }
}
