import { afterAll, describe, expect, it } from '@jest/globals';
import { createUdpTransport } from '@parley/media';
import { eventually } from '@parley/testkit';
import {
  expectRequest,
  expectResponse,
  hasSipp,
  pause,
  requestInside,
  respond,
  respondInside,
  type Step,
  startSipp,
} from '@parley/testkit/sip';
import { dial, sipProcess, sipWorld, trunkAt } from './sip/sip-process.ts';

const EVENT_TYPE = 101;

/** The audio of a far end, from whose port keys are pressed with the audio (RFC 4733); sipp does the signalling. */
async function openKeypad() {
  const transport = await createUdpTransport({ address: '127.0.0.1', random: Math.random });
  let sequence = 0;
  return {
    sdp: [
      ...['v=0', 'o=trunk 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'],
      ...[`m=audio ${transport.port} RTP/AVP 0 ${EVENT_TYPE}`, 'a=rtpmap:0 PCMU/8000'],
      ...[`a=rtpmap:${EVENT_TYPE} telephone-event/8000`, `a=fmtp:${EVENT_TYPE} 0-15`],
    ].join('\n'),
    press(digit: number, port: number): void {
      const timestamp = (sequence + 1) * 8_000;
      for (const flags of [0, 0, 0x80, 0x80, 0x80]) {
        sequence += 1;
        const packet = Buffer.alloc(16);
        packet.writeUInt16BE(0x80_00 + EVENT_TYPE, 0);
        packet.writeUInt16BE(sequence, 2);
        packet.writeUInt32BE(timestamp, 4);
        packet.writeUInt32BE(1, 8);
        packet.set([digit, flags | 10, 0, 160 * sequence], 12);
        transport.send(packet, 'rtp', { address: '127.0.0.1', port });
      }
    },
    close: transport.close,
  };
}

const key = (cseq: number, digit: string): Step[] => [
  requestInside('INFO', cseq, { type: 'application/dtmf-relay', body: `Signal=${digit}\nDuration=160` }),
  expectResponse(200),
];

(hasSipp() ? describe : describe.skip)('a far end that reports its keys with the audio and by INFO', () => {
  const here = sipProcess(sipWorld());
  afterAll(() => here.stop());

  /** An answered call, and the keys that its two ways have given. */
  const answered = async (sdp: string, steps: readonly Step[]) => {
    const peer = await startSipp({
      steps: [
        ...[expectRequest('INVITE'), respond(200, 'OK', { sdp }), expectRequest('ACK')],
        ...steps,
        ...[expectRequest('BYE'), respondInside(200, 'OK')],
      ],
    });
    const call = await dial(here, trunkAt(peer.port));
    await call.until('media');
    const offer = here.trace.find(
      ({ callId, message }) => callId === call.reference && message.startsWith('INVITE'),
    );
    const pressed: string[] = [];
    const media = here.carrier.media?.(call.reference);
    if (media?.kind !== 'audio') throw new Error('The call has no audio');
    media.session.onDigit((digit) => void pressed.push(digit));
    return {
      port: Number(/^m=audio (\d+)/m.exec(offer?.message ?? '')?.[1]),
      /** With the audio, and by INFO. */
      keys: () => [
        pressed.join(''),
        call.events.map((event) => (event.type === 'dtmf' ? event.digits : '')).join(''),
      ],
      infos: () =>
        here.trace.filter(
          ({ callId, direction, message }) =>
            callId === call.reference && direction === 'received' && message.startsWith('INFO '),
        ).length,
      hangUp: async () => {
        await here.carrier.hangup(call.reference);
        expect(await peer.exited).toMatchObject({ code: 0 });
      },
    };
  };

  it('presses each once: with the audio if that came first [sip.9]', async () => {
    const keypad = await openKeypad();
    const call = await answered(keypad.sdp, [pause(500), ...key(1, '4'), ...key(2, '2')]);
    keypad.press(4, call.port);
    await eventually(() => expect(call.keys()).toEqual(['4', '']));
    keypad.press(2, call.port);
    await eventually(() => expect(call.infos()).toBe(2));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(call.keys()).toEqual(['42', '']);
    await call.hangUp();
    keypad.close();
  });

  it('presses each once: by INFO if that came first [sip.9]', async () => {
    const keypad = await openKeypad();
    const call = await answered(keypad.sdp, [pause(200), ...key(1, '4'), ...key(2, '2')]);
    await eventually(() => expect(call.keys()).toEqual(['', '42']));
    keypad.press(4, call.port);
    keypad.press(2, call.port);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(call.keys()).toEqual(['', '42']);
    await call.hangUp();
    keypad.close();
  });

  it('may change the way when its audio moves: it can be another device [sip.9]', async () => {
    const [first, second] = [await openKeypad(), await openKeypad()];
    const call = await answered(first.sdp, [
      pause(300),
      requestInside('INVITE', 1, { sdp: second.sdp }),
      expectResponse(100, { optional: true }),
      expectResponse(200),
      requestInside('ACK', 1),
      ...key(2, '7'),
    ]);
    first.press(4, call.port);
    await eventually(() => expect(call.keys()).toEqual(['4', '7']));
    second.press(7, call.port);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(call.keys()).toEqual(['4', '7']);
    await call.hangUp();
    first.close();
    second.close();
  });
});
