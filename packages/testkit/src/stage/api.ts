import { setTimeout as sleep } from 'node:timers/promises';

/** A raw response, for tests to check. */
type Json = ReturnType<typeof JSON.parse>;

export type Answer = { status: number; body: Json; headers: Headers };

export type Api = {
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The `data` of a 2xx; throws with the whole response otherwise. */
  data(method: string, path: string, body?: unknown): Promise<Json>;
};

/** The public API through the gateway. */
export function createApi(url: string, key: string): Api {
  const request: Api['request'] = async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  return {
    request,
    data: async (method, path, body) => {
      const send = () => request(method, path, body);
      const answer = method === 'GET' ? await untilAvailable(send) : await send();
      if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body.data;
    },
  };
}

const RETRIES = 20;
const RETRY_DELAY_MS = 250;

/** Services time out occasionally on a busy machine: reads are retried after a 503. */
async function untilAvailable(send: () => Promise<Answer>): Promise<Answer> {
  for (let left = RETRIES; ; left -= 1) {
    const answer = await send();
    if (answer.status !== 503 || left === 0) return answer;
    await sleep(RETRY_DELAY_MS);
  }
}
