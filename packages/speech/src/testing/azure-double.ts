import {
  beginJson,
  bodyOf,
  createProviderDouble,
  later,
  type ProviderDouble,
  refuse,
} from './provider-double.ts';
import { sendSpeech, toneFor } from './spoken-audio.ts';

/** The REST interfaces of a resource: `/tts/cognitiveservices/v1` and `/stt/speech/recognition/conversation/cognitiveservices/v1`. */
export async function createAzureDouble(): Promise<ProviderDouble> {
  const key = 'double-azure-key';
  return createProviderDouble({
    key,
    isAuthorized: ({ headers }) => headers['ocp-apim-subscription-key'] === key,
    http: async (request, response, state) => {
      const bytes = await bodyOf(request);
      const url = new URL(request.url ?? '', 'http://double');
      if (url.pathname === '/tts/cognitiveservices/v1') {
        const body = bytes.toString('utf8');
        const text = /<voice name="[^"]+">(?:<prosody [^>]*>)?([^<]*)/.exec(body)?.[1];
        if (
          request.headers['x-microsoft-outputformat'] !== 'raw-24khz-16bit-mono-pcm' ||
          text === undefined
        ) {
          refuse(response, 400);
        } else {
          const plain = text.replaceAll('&apos;', "'").replaceAll('&amp;', '&');
          state.spoken.push(plain);
          await sendSpeech(response, toneFor(plain, 24_000), state.behavior());
        }
        return { body };
      }
      const isRecognition = url.pathname === '/stt/speech/recognition/conversation/cognitiveservices/v1';
      if (!isRecognition || !url.searchParams.has('language')) {
        refuse(response, isRecognition ? 400 : 404);
        return {};
      }
      const behavior = state.behavior();
      if (bytes.toString('latin1', 0, 4) !== 'RIFF') refuse(response, 400);
      else if (behavior.kind === 'status') refuse(response, behavior.status);
      else if (behavior.kind === 'break') response.destroy();
      else if (behavior.kind === 'stall') beginJson(response);
      else if (behavior.kind === 'garbage') response.writeHead(200).end('<html>Welcome</html>');
      else if (behavior.kind !== 'hang') {
        state.heardBytes += bytes.length - 44;
        if (behavior.kind === 'slow') await later(behavior.delayMs);
        const answer = {
          RecognitionStatus: 'Success',
          DisplayText: state.nextUtterance(),
          Offset: 0,
          Duration: 1,
        };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      }
      return {};
    },
  });
}
