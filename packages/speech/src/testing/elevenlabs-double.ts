import type { WebSocket } from 'ws';
import {
  bodyOf,
  createProviderDouble,
  type DoubleState,
  type ProviderDouble,
  refuse,
} from './provider-double.ts';
import { createSender } from './socket-double.ts';
import { sendSpeech, toneFor } from './spoken-audio.ts';

/** Interim words are sent after this much new audio: 200 ms. */
const INTERIM_BYTES = 6_400;

/** `/v1/text-to-speech/{voice}/stream` (HTTP) and `/v1/speech-to-text/realtime` (WebSocket): https://elevenlabs.io/docs/api-reference */
export function createElevenLabsDouble(): Promise<ProviderDouble> {
  const key = 'double-elevenlabs-key';
  return createProviderDouble({
    key,
    isAuthorized: ({ headers }) => headers['xi-api-key'] === key,
    http: async (request, response, state) => {
      const body = JSON.parse((await bodyOf(request)).toString('utf8'));
      const { searchParams, pathname } = new URL(request.url ?? '', 'http://double');
      const rate = /^pcm_(\d+)$/.exec(searchParams.get('output_format') ?? '')?.[1];
      if (!/^\/v1\/text-to-speech\/[^/]+\/stream$/.test(pathname) || rate === undefined) {
        refuse(response, 400);
        return { body };
      }
      state.spoken.push(body.text);
      await sendSpeech(response, toneFor(body.text, Number(rate)), state.behavior());
      return { body };
    },
    socket: (socket, url, state) => listen(socket, url, state),
  });
}

function listen(socket: WebSocket, { searchParams }: URL, state: DoubleState): void {
  const send = createSender(socket);
  let bytes = 0;
  let shown = 0;
  send(
    [{ message_type: 'session_started', session_id: 'double', config: Object.fromEntries(searchParams) }],
    {
      kind: 'normal',
    },
  );

  socket.on('message', (data: Buffer) => {
    const { message_type, audio_base_64, commit } = JSON.parse(data.toString());
    if (message_type !== 'input_audio_chunk') {
      send([{ message_type: 'input_error', error: 'unknown message' }], { kind: 'normal' });
      return;
    }
    const size = Buffer.from(audio_base_64, 'base64').length;
    bytes += size;
    state.heardBytes += size;
    if (commit) {
      const behavior = state.behavior();
      const text = bytes > 0 ? state.nextUtterance() : '';
      bytes = 0;
      shown = 0;
      const partial = { message_type: 'partial_transcript', text: 'hel' };
      send([partial, { message_type: 'committed_transcript', text }], behavior);
    } else if (bytes - shown >= INTERIM_BYTES) {
      shown = bytes;
      send([{ message_type: 'partial_transcript', text: 'hel' }], { kind: 'normal' });
    }
  });
}
