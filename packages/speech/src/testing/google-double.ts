import { wavOf } from '../providers/pcm.ts';
import {
  beginJson,
  bodyOf,
  createProviderDouble,
  later,
  type ProviderDouble,
  refuse,
} from './provider-double.ts';
import { toneFor } from './spoken-audio.ts';

/** `/v1/text:synthesize` of Text-to-Speech and `/v1/speech:recognize` of Speech-to-Text, on one address. */
export async function createGoogleDouble(): Promise<ProviderDouble> {
  const key = 'double-google-key';
  return createProviderDouble({
    key,
    isAuthorized: ({ headers, url }) =>
      headers['x-goog-api-key'] === key || (url ?? '').includes(`key=${key}`),
    http: async (request, response, state) => {
      const body = JSON.parse((await bodyOf(request)).toString('utf8'));
      const [path] = (request.url ?? '').split('?');
      const isSpeech = path === '/v1/text:synthesize';
      if (!isSpeech && path !== '/v1/speech:recognize') {
        refuse(response, 404);
        return { body };
      }
      if (isSpeech ? !isSpeechRequest(body) : !isRecognitionRequest(body)) {
        refuse(response, 400);
        return { body };
      }
      const behavior = state.behavior();
      if (behavior.kind === 'status') refuse(response, behavior.status);
      else if (behavior.kind === 'break') beginJson(response, () => response.destroy());
      else if (behavior.kind === 'stall') beginJson(response);
      else if (behavior.kind === 'garbage') response.writeHead(200).end('<html>Welcome</html>');
      else if (behavior.kind !== 'hang') {
        if (behavior.kind === 'slow') await later(behavior.delayMs);
        response.writeHead(200, { 'content-type': 'application/json' });
        if (isSpeech) {
          const rate = body.audioConfig.sampleRateHertz;
          state.spoken.push(body.input.text);
          const audio = wavOf(toneFor(body.input.text, rate), rate);
          response.end(JSON.stringify({ audioContent: audio.toString('base64') }));
        } else {
          state.heardBytes += Buffer.from(body.audio.content, 'base64').length;
          const alternatives = [{ transcript: state.nextUtterance(), confidence: 0.9 }];
          response.end(
            JSON.stringify({ results: [{ alternatives, languageCode: body.config.languageCode }] }),
          );
        }
      }
      return { body };
    },
  });
}

type Body = Record<string, Record<string, unknown> | undefined>;

function isSpeechRequest({ input, voice, audioConfig }: Body): boolean {
  return (
    typeof input?.text === 'string' &&
    typeof voice?.languageCode === 'string' &&
    [1, 'LINEAR16'].includes(audioConfig?.audioEncoding as string)
  );
}

function isRecognitionRequest({ config, audio }: Body): boolean {
  return (
    [1, 'LINEAR16'].includes(config?.encoding as string) &&
    typeof config?.languageCode === 'string' &&
    typeof audio?.content === 'string'
  );
}
