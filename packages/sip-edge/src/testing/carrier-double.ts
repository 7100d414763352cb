import { randomUUID } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A UDP socket that sends SIP messages as they are written and collects what comes back. */
export class CarrierDouble {
  readonly received: string[] = [];
  readonly #socket: Socket;
  readonly address: string;
  readonly port: number;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const { address, port } = socket.address() as AddressInfo;
    this.address = address;
    this.port = port;
    socket.on('message', (data) => this.received.push(data.toString()));
  }

  /** On loopback any of 127.0.0.0/8 is an address of its own. */
  static async open(address = '127.0.0.1'): Promise<CarrierDouble> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).bind(0, address, resolve);
    });
    return new CarrierDouble(socket);
  }

  /** A request outside of a dialog; `contact`: an address that its Contact claims. Returns its Call-ID. */
  request(
    method: string,
    uri: string,
    to: { port: number; host?: string; contact?: string },
    more: readonly string[] = [],
    sdp = '',
  ): string {
    const callId = randomUUID();
    const own = `${this.address}:${this.port}`;
    const { contact = own } = to;
    this.send(
      [
        `${method} ${uri} SIP/2.0`,
        `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${randomUUID()};rport`,
        'Max-Forwards: 70',
        `From: <sip:+491700000000@${own}>;tag=${randomUUID()}`,
        `To: <${uri}>${more.includes('within a call') ? ';tag=theirs' : ''}`,
        `Call-ID: ${callId}`,
        `CSeq: 1 ${method}`,
        `Contact: <sip:carrier@${contact}>`,
        ...more.filter((line) => line !== 'within a call'),
        ...(sdp ? ['Content-Type: application/sdp'] : []),
        `Content-Length: ${sdp.length}`,
        '',
        sdp,
      ].join('\r\n'),
      to,
    );
    return callId;
  }

  /** Responds to a request that came by the edge; with `sdp` to an INVITE, as the one who was called. */
  answer(request: string, status: string, port: number, sdp = '', more: readonly string[] = []): void {
    const copied = request
      .split('\r\n')
      .filter((line) => /^(via|from|to|call-id|cseq|record-route):/i.test(line))
      .map((line) => (sdp && /^to:/i.test(line) && !/;tag=/.test(line) ? `${line};tag=theirs` : line));
    const own = [`Contact: <sip:carrier@${this.address}:${this.port}>`, 'Content-Type: application/sdp'];
    this.send(
      [
        `SIP/2.0 ${status}`,
        ...copied,
        ...(sdp ? own : []),
        ...more,
        `Content-Length: ${sdp.length}`,
        '',
        sdp,
      ].join('\r\n'),
      { port },
    );
  }

  send(text: string, { port, host = '127.0.0.1' }: { port: number; host?: string }): void {
    this.#socket.send(text, port, host);
  }

  /** The first message received that matches. */
  async receives(expected: RegExp, withinMs = 10_000): Promise<string> {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      const found = this.received.find((message) => expected.test(message));
      if (found !== undefined) return found;
      if (performance.now() > giveUpAt)
        throw new Error(`${expected} was not received, but: ${this.received.map((m) => m.split('\r\n')[0])}`);
      await sleep(10);
    }
  }

  close(): void {
    this.#socket.close();
  }
}
