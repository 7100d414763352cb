import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { CarrierDouble } from '@parley/sip-edge/testing';
import { eventually } from '@parley/testkit';

/** An address that nothing is sent to: behind a NAT it would be a private one. */
export const ELSEWHERE = '192.0.2.9';
const PCMU = 0;

export type FarEnd = Awaited<ReturnType<typeof openFarEnd>>;

/** A carrier with audio, behind NAT: its descriptions have an address that leads nowhere. `edgePort`: of UDP on loopback. */
export async function openFarEnd(address: string, edgePort: number) {
  const trunk = await CarrierDouble.open(address);
  const audio = createSocket('udp4');
  await new Promise<void>((resolve) => audio.bind(0, address, resolve));
  const { port: audioPort } = audio.address() as AddressInfo;
  let heard = 0;
  // Silence is 0xff and 0x7f in µ-law.
  audio.on('message', (packet) => {
    if (packet.subarray(12).some((byte) => (byte & 0x7f) < 0x40)) heard += 1;
  });
  let to = 0;
  let n = 0;
  const sending = setInterval(() => {
    n += 1;
    if (to > 0) audio.send(rtpOf(n), to, '127.0.0.1');
  }, 20);

  const sdp = (direction = 'sendrecv', payloadType = PCMU): string => {
    const lines = [
      ...['v=0', `o=- 1 1 IN IP4 ${ELSEWHERE}`, 's=-', `c=IN IP4 ${ELSEWHERE}`, 't=0 0'],
      ...[`m=audio ${audioPort} RTP/AVP ${payloadType}`, `a=${direction}`, ''],
    ];
    return lines.join('\r\n');
  };

  /** Requests of its own within a call that came by `invite`, or by which it has called in. */
  const within = (invite: string) => {
    const callId = headerOf(invite, 'Call-ID');
    const target = /<(.*)>/.exec(headerOf(invite, 'Contact'))?.[1] ?? '';
    const send = (method: string, cseq: number, body = ''): void => {
      const lines = [
        `${method} ${target} SIP/2.0`,
        `Via: SIP/2.0/UDP ${address}:${trunk.port};branch=z9hG4bK${callId}${method}${cseq};rport`,
        'Max-Forwards: 70',
        ...headersOf(invite, 'Record-Route').map((route) => `Route: ${route}`),
        `From: ${headerOf(invite, 'To')};tag=theirs`,
        `To: ${headerOf(invite, 'From')}`,
        `Call-ID: ${callId}`,
        `CSeq: ${cseq} ${method}`,
        `Contact: <sip:carrier@${address}:${trunk.port}>`,
        ...(body ? ['Content-Type: application/sdp'] : []),
        `Content-Length: ${body.length}`,
      ];
      trunk.send([...lines, '', body].join('\r\n'), { port: edgePort });
    };
    return {
      /** Returns the response, which it acknowledges; the audio goes where its description says. */
      async asks(method: 'INVITE' | 'UPDATE', cseq: number, offer: string): Promise<string> {
        send(method, cseq, offer);
        const answer = await trunk.receives(new RegExp(`^SIP/2\\.0 [2-6][^]*^CSeq: ${cseq} ${method}`, 'm'));
        speakTo(answer);
        if (method === 'INVITE') send('ACK', cseq);
        return answer;
      },
    };
  };

  const speakTo = (text: string): void => {
    to = Number(/^m=audio (\d+) /m.exec(text)?.[1] ?? to);
  };

  /** Calls in. Returns the Call-ID. */
  const callsIn = (uri: string, caller: string): string =>
    trunk.request('INVITE', uri, { port: edgePort }, [`P-Asserted-Identity: <sip:${caller}@carrier>`], sdp());

  /** Its call is answered: the audio goes where the answer says, which is returned. */
  const isAnswered = async (callId: string): Promise<string> => {
    const answer = await trunk.receives(new RegExp(`^SIP/2\\.0 200 [^]*^Call-ID: ${callId}`, 'm'));
    speakTo(answer);
    const target = /<(.*)>/.exec(headerOf(answer, 'Contact'))?.[1] ?? '';
    const lines = [
      `ACK ${target} SIP/2.0`,
      `Via: SIP/2.0/UDP ${address}:${trunk.port};branch=z9hG4bK${callId}ack;rport`,
      'Max-Forwards: 70',
      ...headersOf(answer, 'Record-Route')
        .reverse()
        .map((route) => `Route: ${route}`),
      `From: ${headerOf(answer, 'From')}`,
      `To: ${headerOf(answer, 'To')}`,
      `Call-ID: ${callId}`,
      'CSeq: 1 ACK',
    ];
    trunk.send([...lines, 'Content-Length: 0', '', ''].join('\r\n'), { port: edgePort });
    return answer;
  };

  /** The re-INVITE of ours with this number, the first being 1. */
  const invited = async (number: number): Promise<string> => {
    const invites = () => {
      const texts = trunk.received.filter((text) => text.startsWith('INVITE '));
      return texts.filter((text, i) => texts.findIndex((one) => cseqOf(one) === cseqOf(text)) === i);
    };
    return eventually(() => {
      const found = invites()[number];
      if (found === undefined) throw new Error(`There are ${invites().length} INVITEs`);
      return found;
    });
  };

  return {
    trunk,
    sdp,
    within,
    speakTo,
    callsIn,
    isAnswered,
    invited,
    /** Packets with a loud sound. */
    heard: () => heard,
    close: () => {
      clearInterval(sending);
      audio.close();
      trunk.close();
    },
  };
}

const headersOf = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`^${name}: (.*)\\r$`, 'gim'))].map(([, value = '']) => value);
const cseqOf = (text: string): string => headerOf(text, 'CSeq');
const headerOf = (text: string, name: string): string => headersOf(text, name)[0] ?? '';

/** 20 ms of a loud tone in PCMU. */
function rtpOf(sequence: number): Buffer {
  const packet = Buffer.alloc(172);
  packet[0] = 0x80;
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE((sequence * 160) >>> 0, 4);
  packet.writeUInt32BE(0x1234_5678, 8);
  for (let n = 0; n < 160; n += 1) packet[12 + n] = n % 16 < 8 ? 0x90 : 0x10;
  return packet;
}
