import {
  beginJson,
  bodyOf,
  createProviderDouble,
  later,
  type ProviderDouble,
  refuse,
} from './provider-double.ts';
import { sendSpeech, toneFor } from './spoken-audio.ts';

/** `/v1/audio/speech` and `/v1/audio/transcriptions`: https://platform.openai.com/docs/api-reference/audio. Its base URL ends with `/v1`. */
export async function createOpenAiDouble(): Promise<ProviderDouble> {
  const key = 'sk-double-openai';
  const double = await createProviderDouble({
    key,
    isAuthorized: ({ headers }) => headers.authorization === `Bearer ${key}`,
    http: async (request, response, state) => {
      const bytes = await bodyOf(request);
      const behavior = state.behavior();
      if (request.url === '/v1/audio/speech') {
        const body = JSON.parse(bytes.toString('utf8'));
        if (body.response_format !== 'pcm') refuse(response, 400);
        else {
          state.spoken.push(body.input);
          await sendSpeech(response, toneFor(body.input, 24_000), behavior);
        }
        return { body };
      }
      if (request.url !== '/v1/audio/transcriptions') {
        refuse(response, 404);
        return {};
      }
      const type = { 'content-type': request.headers['content-type'] ?? '' };
      const form = await new Response(new Uint8Array(bytes), { headers: type }).formData();
      const file = form.get('file');
      const wav = file instanceof Blob ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0);
      const body = Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'));
      if (wav.toString('latin1', 0, 4) !== 'RIFF') refuse(response, 400);
      else if (behavior.kind === 'status') refuse(response, behavior.status);
      else if (behavior.kind === 'break') beginJson(response, () => response.destroy());
      else if (behavior.kind === 'stall') beginJson(response);
      else if (behavior.kind !== 'hang') {
        state.heardBytes += wav.length - 44;
        if (behavior.kind === 'slow') await later(behavior.delayMs);
        const answer =
          behavior.kind === 'garbage'
            ? '<html>Welcome</html>'
            : JSON.stringify({ text: state.nextUtterance() });
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      }
      return { body };
    },
  });
  return Object.create(double, { url: { value: `${double.url}/v1` } });
}
