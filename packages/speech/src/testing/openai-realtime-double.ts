import { createLiveDouble, type LiveCause, type LiveDouble } from './live-double.ts';

const PIECE_BYTES = 9_600;
/** The transcription comes when the answer has begun. */
const TRANSCRIPTION_MS = 150;

/** `/v1/realtime` (WebSocket): https://platform.openai.com/docs/api-reference/realtime */
export function createOpenAiRealtimeDouble(): Promise<LiveDouble> {
  const key = 'double-openai-key';
  return createLiveDouble({
    key,
    rate: 24_000,
    isAuthorized: ({ headers }) => headers.authorization === `Bearer ${key}`,
    open: (line) => {
      let items = 0;
      let createsResponses = true;
      let isResponding = false;
      let cause: LiveCause = { told: '' };
      const id = (kind: string): string => {
        items += 1;
        return `${kind}_${items}`;
      };

      const respond = (): void => {
        if (isResponding) {
          const code = 'conversation_already_has_active_response';
          line.send({ type: 'error', error: { type: 'invalid_request_error', code, message: 'active' } });
          return;
        }
        isResponding = true;
        const response = { id: id('resp'), object: 'realtime.response', status: 'in_progress', output: [] };
        line.send({ type: 'response.created', response });
        for (const move of line.decide(cause)) {
          if ('say' in move) speak(response.id, move.say);
          else if ('tool' in move) call(response.id, move.tool, move.args);
        }
        isResponding = false;
        line.send({ type: 'response.done', response: { ...response, status: 'completed' } });
      };
      const speak = (response_id: string, text: string): void => {
        const { audio } = line.begin(text);
        const at = { response_id, item_id: id('item'), output_index: 0, content_index: 0 };
        const item = { id: at.item_id, type: 'message', role: 'assistant', content: [] };
        line.send({ type: 'response.output_item.added', response_id, item });
        for (const delta of text.match(/\S+\s*/g) ?? [])
          line.send({ type: 'response.output_audio_transcript.delta', ...at, delta });
        for (let from = 0; from < audio.length; from += PIECE_BYTES) {
          const delta = audio.subarray(from, from + PIECE_BYTES).toString('base64');
          line.send({ type: 'response.output_audio.delta', ...at, delta });
        }
        line.send({ type: 'response.output_item.done', response_id, item: { ...item, status: 'completed' } });
      };
      const call = (response_id: string, name: string, args: unknown): void => {
        const item = {
          id: id('item'),
          type: 'function_call',
          status: 'completed',
          call_id: id('call'),
          name,
          arguments: JSON.stringify(args),
        };
        line.send({ type: 'response.output_item.done', response_id, item });
      };
      const configure = (session: { audio?: { input?: { turn_detection?: Record<string, unknown> } } }) => {
        const detection = session.audio?.input?.turn_detection;
        if (detection) createsResponses = detection.create_response !== false;
        line.send({ type: 'session.updated', session });
      };

      line.send({ type: 'session.created', session: { type: 'realtime' } });
      return {
        onSpeech: (change) => {
          if (change === 'started') {
            line.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0, item_id: 'next' });
            return;
          }
          const item_id = id('item');
          const transcript = line.nextUtterance();
          cause = { heard: transcript };
          line.send(
            { type: 'input_audio_buffer.speech_stopped', audio_end_ms: 0, item_id },
            { type: 'input_audio_buffer.committed', item_id },
          );
          if (createsResponses) respond();
          const type = 'conversation.item.input_audio_transcription.completed';
          setTimeout(
            () => line.send({ type, item_id, transcript, content_index: 0 }),
            TRANSCRIPTION_MS,
          ).unref();
        },
        onMessage: (event) => {
          switch (event.type) {
            case 'session.update':
              return configure(event.session);
            case 'input_audio_buffer.append':
              return line.hear(Buffer.from(event.audio, 'base64'));
            case 'conversation.item.create':
              if (event.item.type === 'function_call_output')
                cause = { result: JSON.parse(event.item.output) };
              else if (event.item.role === 'user') cause = { told: event.item.content[0].text };
              return;
            case 'response.create':
              if (event.response?.instructions) cause = { told: event.response.instructions };
              return respond();
            case 'conversation.item.truncate':
              return line.send({ ...event, type: 'conversation.item.truncated' });
            default:
              return;
          }
        },
      };
    },
  });
}
