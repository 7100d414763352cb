import type { WebSocket } from 'ws';
import { createProviderDouble, type DoubleState, type ProviderDouble } from './provider-double.ts';
import { createSender } from './socket-double.ts';
import { toneFor } from './spoken-audio.ts';

const INTERIM_BYTES = 6_400;
const PIECE_BYTES = 4_802;

/** `/tts/websocket` and `/stt/websocket`: https://docs.cartesia.ai/api-reference */
export function createCartesiaDouble(): Promise<ProviderDouble> {
  const key = 'sk_car_double';
  return createProviderDouble({
    key,
    isAuthorized: ({ headers }) => headers.authorization === `Bearer ${key}`,
    socket: (socket, { pathname }, state) => {
      if (pathname === '/tts/websocket') speak(socket, state);
      else if (pathname === '/stt/websocket') listen(socket, state);
      else socket.close(1008, 'no such path');
    },
  });
}

function speak(socket: WebSocket, state: DoubleState): void {
  const send = createSender(socket);
  let isSilent = false;
  socket.on('message', (data: Buffer) => {
    const request = JSON.parse(data.toString());
    if (request.cancel) return;
    const { context_id, transcript, output_format } = request;
    const common = { context_id, done: false, status_code: 206 };
    if (transcript !== '') {
      state.spoken.push(transcript);
      const tone = toneFor(transcript, output_format.sample_rate);
      const pieces: unknown[] = [];
      for (let from = 0; from < tone.length; from += PIECE_BYTES) {
        const audio = tone.subarray(from, from + PIECE_BYTES).toString('base64');
        pieces.push({ ...common, type: 'chunk', data: audio, step_time: 1 });
      }
      const behavior = state.behavior();
      isSilent ||= behavior.kind === 'hang' || behavior.kind === 'stall';
      send(pieces, behavior);
    }
    if (!request.continue && !isSilent) {
      send([{ ...common, type: 'done', done: true, status_code: 200 }], { kind: 'normal' });
    }
  });
}

function listen(socket: WebSocket, state: DoubleState): void {
  const send = createSender(socket);
  const request_id = 'double';
  let bytes = 0;
  let shown = 0;
  const transcript = (text: string, is_final: boolean): unknown => ({
    type: 'transcript',
    request_id,
    text,
    is_final,
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      bytes += data.length;
      state.heardBytes += data.length;
      if (bytes - shown < INTERIM_BYTES) return;
      shown = bytes;
      send([transcript('hel', false)], { kind: 'normal' });
      return;
    }
    const command = data.toString();
    if (command === 'close') {
      socket.send(JSON.stringify({ type: 'done', request_id }));
      return socket.close(1000);
    }
    if (command !== 'finalize') return;
    const words = bytes > 0 ? [transcript(state.nextUtterance(), true)] : [];
    bytes = 0;
    shown = 0;
    const behavior = state.behavior();
    if (behavior.kind === 'break' || behavior.kind === 'stall') words[0] = transcript('hel', false);
    send([...words, { type: 'flush_done', request_id }], behavior);
  });
}
