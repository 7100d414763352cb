import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Json } from './harness.ts';

/** The model's response to a request. */
type ModelAnswer =
  | { text: string }
  | { calls: { name: string; args: string }[]; text?: string }
  | { status: number; error?: Json }
  /** Sends one word and stalls; disconnects in the middle; or never responds. */
  | { fault: 'stall' | 'break' | 'hang' };

export type FakeOpenAi = {
  /** For `OPENAI_BASE_URL`. */
  url: string;
  key: string;
  requests: Json[];
  /** Requests of the analysis, which are never streamed. */
  analyses: Json[];
  /** The response as text, or an error status. */
  analyze(decide: (request: Json) => string | number): void;
  /** The answer by the text of the last message, or one for all. */
  answer(decide: (request: Json) => ModelAnswer): void;
  close(): Promise<void>;
};

/** A server of OpenAI's streaming chat API that splits its responses into small pieces. */
export async function fakeOpenAi(): Promise<FakeOpenAi> {
  const key = 'sk-test-key';
  const requests: Json[] = [];
  const analyses: Json[] = [];
  let analyze: (request: Json) => string | number = () => '{"summary": "They spoke.", "fields": {}}';
  let decide: (request: Json) => ModelAnswer = () => ({ text: 'Hello.' });

  const server = createServer(async (req, res) => {
    try {
      const request = JSON.parse(await bodyOf(req));
      (request.stream ? requests : analyses).push(request);
      if (req.headers.authorization !== `Bearer ${key}`) return refuse(res, 401, { message: 'wrong key' });
      if (req.url !== '/v1/chat/completions') return refuse(res, 404, { message: 'no such thing' });
      if (!request.stream) return sendWhole(res, analyze(request));
      await send(res, decide(request));
    } catch {
      res.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    key,
    requests,
    analyses,
    analyze: (given) => {
      analyze = given;
    },
    answer: (given) => {
      decide = given;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(res: ServerResponse, status: number, error: Json): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

function sendWhole(res: ServerResponse, answer: string | number): void {
  if (typeof answer === 'number') {
    refuse(res, answer, { message: 'not today' });
    return;
  }
  const message = { role: 'assistant', content: answer };
  const choices = [{ index: 0, finish_reason: 'stop', message }];
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices }));
}

async function send(res: ServerResponse, answer: ModelAnswer): Promise<void> {
  if ('status' in answer) return refuse(res, answer.status, answer.error ?? { message: 'not today' });
  if ('fault' in answer && answer.fault === 'hang') return;
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const deltas: Json[] = [{ role: 'assistant', content: '' }];
  if ('fault' in answer) deltas.push({ content: 'Well' });
  else {
    for (const piece of answer.text?.match(/.{1,7}/gsu) ?? []) deltas.push({ content: piece });
    for (const [index, { name, args }] of ('calls' in answer ? answer.calls : []).entries()) {
      deltas.push({
        tool_calls: [
          { index, id: `call_${name}_${index}`, type: 'function', function: { name, arguments: '' } },
        ],
      });
      for (const piece of args.match(/.{1,5}/gsu) ?? [])
        deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  const events = deltas.map((delta) => event({ delta, finish_reason: null }));
  const bytes = Buffer.from(events.join(''));
  // Splits within events and within characters.
  for (let from = 0; from < bytes.length; from += 31) {
    res.write(bytes.subarray(from, from + 31));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if ('fault' in answer) {
    if (answer.fault === 'break') res.destroy();
    return;
  }
  const finish_reason = 'calls' in answer ? 'tool_calls' : 'stop';
  res.write(event({ delta: {}, finish_reason }));
  res.end('data: [DONE]\n\n');
}

function event(choice: Json): string {
  const chunk = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, ...choice }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
