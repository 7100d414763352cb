import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { type Behavior, createProviderDouble, later, type ProviderDouble } from './provider-double.ts';
import { toneFor } from './spoken-audio.ts';

/** The model's next action. */
type LiveMove = { say: string } | { tool: string; args: unknown } | { nothing: true };

/** The cause of an action: audio, a text, or a tool's result. */
export type LiveCause = { heard: string } | { told: string } | { result: unknown };

// biome-ignore lint/suspicious/noExplicitAny: whatever clients send.
type Json = any;

export type LiveDouble = ProviderDouble & {
  /** The clients' messages except audio, by connection. */
  readonly received: readonly (readonly Json[])[];
  /** Texts that the model has begun to say. */
  readonly said: readonly string[];
  moves(decide: (cause: LiveCause, connection: number) => readonly LiveMove[]): void;
  /** Breaks connections off, by default all. */
  breakOff(isMeant?: (messages: readonly Json[]) => boolean): void;
  /** Sends a message of the provider over the last connection. */
  send(message: unknown): void;
};

/** The protocol of a provider over one connection. */
export type LiveProtocol = {
  key: string;
  isAuthorized(request: IncomingMessage): boolean;
  rate: number;
  open(line: LiveLine): { onMessage(message: Json): void; onSpeech(change: 'started' | 'stopped'): void };
};

/** One connection, for a protocol. */
type LiveLine = {
  send(...messages: unknown[]): void;
  close(code: number, reason: string): void;
  /** Audio of the human, in 16-bit little-endian. */
  hear(audio: Buffer): void;
  nextUtterance(): string;
  decide(cause: LiveCause): readonly LiveMove[];
  begin(text: string): { audio: Buffer; ms: number };
};

const LOUD = 1_000;
const START_MS = 60;
const END_MS = 400;

export async function createLiveDouble(protocol: LiveProtocol): Promise<LiveDouble> {
  const received: Json[][] = [];
  const said: string[] = [];
  const sockets: WebSocket[] = [];
  let decide: (cause: LiveCause, connection: number) => readonly LiveMove[] = (cause) =>
    'heard' in cause ? [{ say: `You said ${cause.heard}.` }] : [{ say: 'Hello.' }];
  const double = await createProviderDouble({
    key: protocol.key,
    isAuthorized: protocol.isAuthorized,
    socket: (socket, _url, state) => {
      const connection = sockets.push(socket) - 1;
      const messages: Json[] = [];
      received.push(messages);
      const behavior: Behavior = state.behavior();
      let last = Promise.resolve();
      let isBroken = false;
      const send = (...given: unknown[]): void => {
        last = last.then(async () => {
          for (const message of given) {
            if (behavior.kind === 'hang' || isBroken) return;
            if (behavior.kind === 'garbage') return socket.send('<html>Welcome</html>');
            if (behavior.kind === 'slow') await later(behavior.delayMs);
            // Binary, as Gemini's messages are.
            socket.send(Buffer.from(JSON.stringify(message)));
            isBroken = behavior.kind === 'break' || behavior.kind === 'stall';
            if (behavior.kind === 'break') socket.terminate();
          }
        });
      };
      let loudMs = 0;
      let quietMs = 0;
      let isSpeaking = false;
      const hear = (audio: Buffer): void => {
        state.heardBytes += audio.length;
        const ms = (audio.length / 2 / protocol.rate) * 1_000;
        let peak = 0;
        for (let at = 0; at + 1 < audio.length; at += 2)
          peak = Math.max(peak, Math.abs(audio.readInt16LE(at)));
        loudMs = peak > LOUD ? loudMs + ms : 0;
        quietMs = peak > LOUD ? 0 : quietMs + ms;
        if (!isSpeaking && loudMs >= START_MS) {
          isSpeaking = true;
          speaker.onSpeech('started');
        } else if (isSpeaking && quietMs >= END_MS) {
          isSpeaking = false;
          speaker.onSpeech('stopped');
        }
      };
      const speaker = protocol.open({
        send,
        close: (code, reason) => socket.close(code, reason),
        hear,
        nextUtterance: state.nextUtterance,
        decide: (cause) => decide(cause, connection),
        begin: (text) => {
          said.push(text);
          const audio = toneFor(text, 24_000);
          return { audio, ms: (audio.length / 48_000) * 1_000 };
        },
      });
      socket.on('message', (data: Buffer) => {
        const message = JSON.parse(data.toString());
        const isAudio = message.realtimeInput?.audio !== undefined || message.audio !== undefined;
        if (!isAudio) messages.push(message);
        speaker.onMessage(message);
      });
    },
  });
  const { requests, spoken, url, key } = double;
  return {
    ...double,
    requests,
    spoken,
    url,
    key,
    get heardBytes() {
      return double.heardBytes;
    },
    received,
    said,
    moves: (given) => {
      decide = given;
    },
    breakOff: (isMeant = () => true) => {
      for (const [i, socket] of sockets.entries()) if (isMeant(received[i] ?? [])) socket.terminate();
    },
    send: (message) => sockets.at(-1)?.send(JSON.stringify(message)),
  };
}
