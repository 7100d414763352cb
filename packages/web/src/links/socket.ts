import { openAudioContext } from './audio-context.ts';
import { type Link, type LinkEvents, readMessage } from './link.ts';
import type { Speaker } from './speaker.ts';

/** Of the PCM in both directions. */
const SAMPLE_RATE = 24_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection that can't carry the audio: older audio is worth nothing. */
const MAX_UNSENT_BYTES = 48_000;

type Options = LinkEvents & {
  baseUrl: string;
  accessToken: string;
  participant: string;
  stream: MediaStream;
  speaker: Speaker;
};

/** Connects by a WebSocket, for networks where UDP is blocked. */
export async function connectSocket(options: Options): Promise<Link> {
  const { baseUrl, accessToken, participant, stream, speaker, onClosed } = options;
  const url = `${baseUrl.replace(/^http/, 'ws')}/widget/session/audio`;
  const { context, source } = openAudioContext(stream, SAMPLE_RATE);
  const socket = new WebSocket(url, ['parley-audio', accessToken, participant]);
  socket.binaryType = 'arraybuffer';
  const close = (): void => {
    socket.onclose = null;
    socket.close();
    void context.close();
  };
  try {
    await Promise.all([context.audioWorklet.addModule(`${baseUrl}/widget/worklet.js`), opened(socket)]);
  } catch (err) {
    close();
    throw err;
  }
  const node = new AudioWorkletNode(context, 'parley-pcm', {
    numberOfInputs: 1,
    numberOfOutputs: 1,
    outputChannelCount: [1],
    processorOptions: { sampleRate: SAMPLE_RATE },
  });
  const output = context.createMediaStreamDestination();
  let input = source;
  input.connect(node);
  node.connect(output);
  void context.resume();
  speaker.play(output.stream);

  let received = 0;
  socket.onclose = onClosed;
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') readMessage(data, options);
    else {
      received += 1;
      node.port.postMessage(data, [data]);
    }
  };
  node.port.onmessage = ({ data }) => {
    if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < MAX_UNSENT_BYTES) socket.send(data);
  };
  return {
    received: async () => received,
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    replaceTrack: async (track) => {
      const next = context.createMediaStreamSource(new MediaStream([track]));
      input.disconnect();
      next.connect(node);
      input = next;
    },
    close,
  };
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('The WebSocket was not opened in time')),
      CONNECT_TIMEOUT_MS,
    );
    const settle = (act: () => void) => (): void => {
      clearTimeout(timer);
      act();
    };
    socket.onopen = settle(resolve);
    socket.onclose = settle(() => reject(new Error('The WebSocket was refused')));
  });
}
