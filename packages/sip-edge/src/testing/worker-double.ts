import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

/** A SIP message as the double reads it. */
export type SipMessage = {
  /** Of a request; undefined for a response. */
  method: string | undefined;
  uri: string | undefined;
  status: number | undefined;
  headers: readonly (readonly [string, string])[];
  body: string;
  text: string;
};

type Options = {
  url: string;
  id?: string;
  /** Of 1,000. */
  freeCalls?: number;
  /** The response to an INVITE; null: none at all. */
  answer?: (invite: SipMessage) => number | null;
};

/** Stands in for a worker of telephony at the edge: registers, answers calls, and remembers what it received. */
export class WorkerDouble {
  readonly id: string;
  readonly received: SipMessage[] = [];
  readonly #socket: WebSocket;
  readonly #answer: (invite: SipMessage) => number | null;
  #cseq = 0;

  private constructor(socket: WebSocket, { id = `w${randomUUID()}`, answer = () => 200 }: Options) {
    this.id = id;
    this.#socket = socket;
    this.#answer = answer;
    socket.on('message', (data) => this.#receive(String(data)));
  }

  static async connect(options: Options): Promise<WorkerDouble> {
    const socket = new WebSocket(options.url, ['sip']);
    await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const worker = new WorkerDouble(socket, options);
    await worker.register(options.freeCalls ?? 100);
    return worker;
  }

  /** Registers with capacity for so many calls, and waits until the edge has accepted it. */
  async register(freeCalls: number): Promise<void> {
    const response = this.#responseTo('REGISTER');
    this.request('REGISTER', 'sip:edge.invalid', [
      ['To', '<sip:workers@edge.invalid>'],
      ['Contact', `<sip:${this.id}@${this.id}.invalid;transport=ws>;q=${(freeCalls / 1_000).toFixed(3)}`],
      ['Expires', '60'],
    ]);
    const { status } = await response;
    if (status !== 200) throw new Error(`The edge answered ${status} to a registration`);
  }

  /** Sends a request; `headers` replace those that it has by default. Returns its Call-ID. */
  request(method: string, uri: string, headers: readonly [string, string][] = [], body = ''): string {
    this.#cseq += 1;
    const callId = headers.find(([name]) => name === 'Call-ID')?.[1] ?? randomUUID();
    const defaults: [string, string][] = [
      ['Via', `SIP/2.0/WS ${this.id}.invalid;branch=z9hG4bK${randomUUID()}`],
      ['Max-Forwards', '70'],
      ['From', `<sip:workers@edge.invalid>;tag=${this.id}`],
      ['To', `<${uri}>`],
      ['Call-ID', callId],
      ['CSeq', `${this.#cseq} ${method}`],
    ];
    const own = new Set(headers.map(([name]) => name));
    this.#send(
      [`${method} ${uri} SIP/2.0`],
      [...defaults.filter(([name]) => !own.has(name)), ...headers],
      body,
    );
    return callId;
  }

  /** Closes its connection without a farewell. */
  crash(): void {
    this.#socket.terminate();
  }

  /** Responds to a request; adds a To tag and a Contact. */
  respond(request: SipMessage, status: number, headers: readonly [string, string][] = [], body = ''): void {
    const copied = request.headers.flatMap(([name, value]): [string, string][] =>
      /^(via|from|call-id|cseq|record-route)$/i.test(name)
        ? [[name, value]]
        : /^to$/i.test(name)
          ? [[name, /;tag=/.test(value) ? value : `${value};tag=${this.id}`]]
          : [],
    );
    const contact: [string, string] = ['Contact', `<sip:any@${this.id}.invalid;transport=ws>`];
    this.#send([`SIP/2.0 ${status} Double`], [...copied, contact, ...headers], body);
  }

  #receive(text: string): void {
    const message = readMessage(text);
    if (!message) return;
    this.received.push(message);
    if (message.method === 'INVITE') {
      const status = this.#answer(message);
      if (status !== null) this.respond(message, 100);
      if (status !== null && status !== 100) this.respond(message, status, [], status === 200 ? SDP : '');
    } else if (message.method !== undefined && message.method !== 'ACK') {
      this.respond(message, 200, [], message.method === 'UPDATE' && message.body ? SDP : '');
    }
  }

  #responseTo(method: string): Promise<SipMessage> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The edge did not answer ${method}`)), 3_000);
      const listen = (data: unknown) => {
        const message = readMessage(String(data));
        if (!message?.status || !headerOf(message, 'cseq').endsWith(method)) return;
        clearTimeout(timer);
        this.#socket.off('message', listen);
        resolve(message);
      };
      this.#socket.on('message', listen);
    });
  }

  #send(start: readonly string[], headers: readonly (readonly [string, string])[], body: string): void {
    const type = body ? [['Content-Type', 'application/sdp'] as const] : [];
    const lines = [...headers, ...type, ['Content-Length', String(Buffer.byteLength(body))] as const];
    this.#socket.send(
      [...start, ...lines.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n'),
    );
  }
}

/** The first value of a header; empty if there is none. */
export const headerOf = ({ headers }: SipMessage, name: string): string =>
  headers.find(([found]) => found.toLowerCase() === name)?.[1] ?? '';

function readMessage(text: string): SipMessage | undefined {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [start = '', ...lines] = head.split('\r\n');
  const request = /^(\S+) (\S+) SIP\/2\.0$/.exec(start);
  const status = /^SIP\/2\.0 (\d{3})/.exec(start)?.[1];
  if (!request && !status) return undefined;
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  const [, method, uri] = request ?? [];
  return { method, uri, status: status ? Number(status) : undefined, headers, body, text };
}

const SDP = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 20000 RTP/AVP 0',
  '',
].join('\r\n');
