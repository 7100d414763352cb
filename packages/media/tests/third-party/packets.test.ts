import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from '@jest/globals';
import {
  type Channel,
  type Codec,
  createMuLawCodec,
  createOpusCodec,
  createRtpLine,
  createUdpTransport,
} from '../../src/index.ts';
import { concatenate, createRandom, shareOf, tone } from '../../src/testing/index.ts';
import { temporaryFolder } from '../folder.ts';
import { writePcap } from './pcap.ts';
import { itWith, run } from './programs.ts';

const folder = temporaryFolder();
const HOST = '127.0.0.1';

describe('our packets read by Wireshark', () => {
  const decodeAs = ['-d', 'udp.port==4000,rtp', '-d', 'udp.port==4001,rtcp', '-d', 'rtp.pt==101,rtpevent'];

  itWith('tshark', 'audio is one stream without loss, and no packet is malformed', () => {
    const path = capture();
    expect(fields(path, ['frame.number'], '_ws.malformed or _ws.expert.severity >= 6291456')).toEqual([]);
    const audio = fields(
      path,
      ['rtp.version', 'rtp.p_type', 'rtp.seq', 'rtp.timestamp', 'rtp.marker'],
      'rtp.p_type == 0',
    );
    expect(audio.length).toBe(300 - 10);
    expect(new Set(audio.map(([version]) => version))).toEqual(new Set(['2']));
    expect(audio.filter(([, , , , marker]) => marker === '1' || marker === 'True')).toHaveLength(1);
    const [, , , first = 0] = (audio[0] ?? []).map(Number);
    const [, , , second = 0] = (audio[1] ?? []).map(Number);
    expect((second - first + 2 ** 32) % 2 ** 32).toBe(160);
    const streams = run('tshark', ['-r', path, ...decodeAs, '-q', '-z', 'rtp,streams']).toString();
    expect(streams).toMatch(/g711U.*\s0 \(0\.0%\)/);
  });

  itWith('tshark', 'keys are RFC 4733 events with growing durations and three ends', () => {
    const names = [
      'rtpevent.event_id',
      'rtpevent.end_of_event',
      'rtpevent.duration',
      'rtp.timestamp',
      'rtp.marker',
    ];
    const events = fields(capture(), names, 'rtpevent').map((row) =>
      row.map((value) => value.replace(/^True$/, '1').replace(/^False$/, '0')),
    );
    expect(events.map(([id]) => id)).toEqual([...Array(7).fill('5'), ...Array(7).fill('11')]);
    expect(events.slice(0, 7).map(([, end]) => end)).toEqual(['0', '0', '0', '0', '1', '1', '1']);
    expect(events.slice(0, 7).map(([, , duration]) => duration)).toEqual([
      '160',
      '320',
      '480',
      '640',
      '800',
      '800',
      '800',
    ]);
    expect(new Set(events.slice(0, 7).map(([, , , timestamp]) => timestamp)).size).toBe(1);
    expect(events.map((row) => row[4])).toEqual(['1', ...Array(6).fill('0'), '1', ...Array(6).fill('0')]);
  });

  itWith('tshark', 'RTCP holds sender reports, a name and a goodbye', () => {
    const rows = fields(capture(), ['rtcp.pt', 'rtcp.sender.packetcount', 'rtcp.sdes.text'], 'rtcp');
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(rows[0]?.[0]).toBe('200,202');
    expect(rows[0]?.[2]).toBe('test');
    expect(rows.at(-1)?.[0]).toBe('200,202,203');
    expect(Number(rows.at(-1)?.[1])).toBe(290 + 14);
  });

  /** Six seconds of a call as a capture file: audio, two keys, reports, a goodbye. */
  function capture(): string {
    const sent: { bytes: Uint8Array; channel: Channel; atMs: number }[] = [];
    let nowMs = 1_700_000_000_000;
    const line = createRtpLine({
      transport: {
        send: (bytes, channel) => void sent.push({ bytes, channel, atMs: nowMs }),
        onPacket: () => undefined,
        close: () => undefined,
      },
      codec: createMuLawCodec(),
      payloadType: 0,
      dtmfPayloadType: 101,
      remote: { address: '192.0.2.1', port: 4_000 },
      cname: 'test',
      nowMs: () => nowMs,
      random: createRandom(2),
    });
    const audio = tone(400, 20, 8_000);
    for (let n = 0; n < 300; n += 1, nowMs += 20) {
      if (n === 100) line.sendDigit('5', 100);
      if (n === 120) line.sendDigit('#', 100);
      line.send(audio, nowMs);
    }
    line.close();
    const path = join(folder, 'call.pcap');
    const ports = { rtp: 4_000, rtcp: 4_001 };
    writeFileSync(
      path,
      writePcap(sent.map(({ bytes, channel, atMs }) => ({ bytes, atMs, port: ports[channel] }))),
    );
    return path;
  }

  function fields(path: string, names: readonly string[], filter: string): string[][] {
    const wanted = names.flatMap((name) => ['-e', name]);
    const args = ['-r', path, ...decodeAs, '-Y', filter, '-T', 'fields', '-E', 'separator=;', ...wanted];
    const lines = run('tshark', args).toString().split('\n');
    return lines.filter((each) => each !== '').map((each) => each.split(';'));
  }
});

describe('packets sent by ffmpeg', () => {
  itWith('ffmpeg', 'µ-law over RTP is heard, with its reports', async () => {
    await hear(createMuLawCodec(), 0, ['-c:a', 'pcm_mulaw', '-ar', '8000']);
  });

  itWith('ffmpeg', 'Opus over RTP is heard, with its reports', async () => {
    await hear(await createOpusCodec(), 111, [
      '-c:a',
      'libopus',
      '-b:a',
      '24k',
      '-payload_type',
      '111',
      '-ar',
      '48000',
    ]);
  });

  /** ffmpeg sends a second of a tone in real time; nothing here depends on how punctual it is. */
  async function hear(codec: Codec, payloadType: number, encoding: readonly string[]): Promise<void> {
    const random = createRandom(Date.now());
    const transport = await createUdpTransport({
      address: HOST,
      random,
      ports: { min: 40_000, max: 49_999 },
    });
    const line = createRtpLine({
      transport,
      codec,
      payloadType,
      cname: 'test',
      nowMs: () => performance.now(),
      random,
    });
    const source = ['-re', '-f', 'lavfi', '-i', 'sine=frequency=440:duration=1'];
    const target = ['-f', 'rtp', `rtp://${HOST}:${transport.port}?pkt_size=200`];
    const sender = spawn('ffmpeg', ['-v', 'error', ...source, '-ac', '1', ...encoding, ...target], {
      stdio: 'ignore',
    });
    const exited = once(sender, 'exit');
    let over = false;
    void exited.then(() => {
      over = true;
    });
    const blocks: Int16Array[] = [];
    for (let quiet = 0; quiet < 20; quiet += over ? 1 : 0) {
      await sleep(20);
      const { samples, source: kind } = line.receive(performance.now());
      line.send(samples, performance.now());
      if (kind === 'audio') blocks.push(samples);
    }
    const heard = concatenate(blocks);
    expect(line.stats().packetsReceived).toBeGreaterThan(30);
    expect(heard.length).toBeGreaterThan(codec.sampleRate / 2);
    const middle = heard.subarray(codec.sampleRate / 4, codec.sampleRate / 4 + codec.sampleRate / 20);
    expect(shareOf(440, middle, codec.sampleRate)).toBeGreaterThan(0.8);
    line.close();
  }
});
