import type { WebSocket } from 'ws';
import { bodyOf, createProviderDouble, type DoubleState, type ProviderDouble } from './provider-double.ts';
import { createSender } from './socket-double.ts';
import { sendSpeech, toneFor } from './spoken-audio.ts';

const BYTES_PER_SAMPLE = 2;
/** Interim words are sent after this much new audio. */
const INTERIM_SECONDS = 0.2;
const AUDIBLE = 500;

/** `/v1/listen` (WebSocket) and `/v1/speak` (HTTP): https://developers.deepgram.com/reference */
export function createDeepgramDouble(): Promise<ProviderDouble> {
  const key = 'double-deepgram-key';
  return createProviderDouble({
    key,
    isAuthorized: ({ headers }) => headers.authorization === `Token ${key}`,
    http: async (request, response, state) => {
      const body = JSON.parse((await bodyOf(request)).toString('utf8'));
      const { searchParams } = new URL(request.url ?? '', 'http://double');
      state.spoken.push(body.text);
      const tone = toneFor(body.text, Number(searchParams.get('sample_rate')));
      await sendSpeech(response, tone, state.behavior());
      return { body };
    },
    socket: (socket, url, state) =>
      listen(socket, state, BYTES_PER_SAMPLE * Number(url.searchParams.get('sample_rate'))),
  });
}

function listen(socket: WebSocket, state: DoubleState, bytesPerSecond: number): void {
  const send = createSender(socket);
  let bytes = 0;
  let confirmed = 0;
  let shown = 0;
  /** Since the last final words: silence has no words. */
  let isAudible = false;

  const results = (transcript: string, isFinal: boolean, isFinalize = false): unknown => {
    const [start, end] = [confirmed / bytesPerSecond, bytes / bytesPerSecond];
    const words = transcript.split(' ').filter((word) => word !== '');
    const each = (end - start) / Math.max(1, words.length);
    const confidence = 0.98;
    return {
      type: 'Results',
      channel_index: [0, 1],
      start,
      duration: end - start,
      is_final: isFinal,
      speech_final: isFinal,
      from_finalize: isFinalize,
      channel: {
        alternatives: [
          {
            transcript,
            confidence,
            words: words.map((word, i) => ({
              word,
              confidence,
              start: start + i * each,
              end: start + (i + 1) * each,
            })),
          },
        ],
      },
      metadata: { request_id: 'double', model_uuid: 'double', model_info: {} },
    };
  };

  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      bytes += data.length;
      state.heardBytes += data.length;
      const isLoud = loudest(data) > AUDIBLE;
      isAudible ||= isLoud;
      if (!isLoud || bytes - shown < INTERIM_SECONDS * bytesPerSecond) return;
      shown = bytes;
      send([results('hel', false)], { kind: 'normal' });
      return;
    }
    const { type } = JSON.parse(data.toString());
    if (type === 'CloseStream') return socket.close(1000);
    if (type !== 'Finalize') return;
    const behavior = state.behavior();
    if (behavior.kind !== 'normal' && behavior.kind !== 'slow')
      return send([results('hel', false)], behavior);
    const message = results(bytes > confirmed && isAudible ? state.nextUtterance() : '', true, true);
    confirmed = bytes;
    isAudible = false;
    send([message], behavior);
  });
}

function loudest(pcm: Buffer): number {
  let most = 0;
  for (let at = 0; at + 1 < pcm.length; at += 2) most = Math.max(most, Math.abs(pcm.readInt16LE(at)));
  return most;
}
