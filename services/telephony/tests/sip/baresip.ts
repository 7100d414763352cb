import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wavHeader } from '@parley/media';
import { tone } from '@parley/media/testing';
import { freePort } from '@parley/testkit';

/** A person with a telephone: baresip, which speaks a file and records what it hears. */
export type Person = {
  /** Its SIP address, for a trunk's termination. */
  port: number;
  /** What baresip has written. */
  output(): string;
  /** Types a command of baresip's menu, such as a key in a call. */
  type(text: string): void;
  /** The recordings so far: samples of 16 bits, at 16 kHz. */
  heard(): Promise<Int16Array[]>;
  stop(): Promise<void>;
};

const RATE = 16_000;
const MODULES = '/usr/lib/baresip/modules';

export function hasBaresip(): boolean {
  return (
    spawnSync('baresip', ['-h']).error === undefined && spawnSync('flite', ['--version']).error === undefined
  );
}

/** What is said after so many seconds of silence: a sentence by flite, or a tone. */
export type Said = { afterSeconds: number } & ({ text: string } | { hz: number; seconds: number });

function speechOf(parts: readonly Said[], folder: string): Int16Array {
  const pieces = parts.flatMap((part, n) => {
    const pause = new Int16Array(part.afterSeconds * RATE);
    if ('hz' in part) return [pause, tone(part.hz, part.seconds * 1_000, RATE)];
    const file = join(folder, `part-${n}.wav`);
    execFileSync('flite', ['-voice', 'rms', '-t', part.text, '-o', file]);
    const bytes = execFileSync('cat', [file]);
    const samples = new Int16Array(
      bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length),
    );
    return [pause, samples];
  });
  return Int16Array.from([...pieces, new Int16Array(60 * RATE)].flatMap((piece) => [...piece]));
}

export async function startPerson(options: {
  /** The number that it is called by. */
  number: string;
  says: readonly Said[];
  codec?: 'G722/16000/1' | 'PCMU/8000/1' | 'opus/48000/2';
  answers?: boolean;
  /** Speaks TLS and demands SRTP: its certificate and key in one file, and the authority that it trusts. */
  tls?: { both: string; authority: string };
  /** Demands SRTP with keys in SDP (SDES); always over TLS. */
  isEncrypted?: boolean;
}): Promise<Person> {
  const {
    number,
    says,
    codec = 'G722/16000/1',
    answers = true,
    tls,
    isEncrypted = tls !== undefined,
  } = options;
  const folder = await mkdtemp(join(tmpdir(), 'parley-baresip-'));
  // For TLS baresip adds one to the port that it is given.
  const port = await freePort();
  const listen = tls ? port - 1 : port;
  const voice = speechOf(says, folder);
  const data = Buffer.from(voice.buffer);
  const header = wavHeader({ sampleRate: RATE, channels: 1 }, data.length);
  await writeFile(join(folder, 'voice.wav'), Buffer.concat([header, data]));
  await writeFile(
    join(folder, 'config'),
    [
      `sip_listen 127.0.0.1:${listen}`,
      ...(tls ? [`sip_certificate ${tls.both}`, `sip_cafile ${tls.authority}`, 'sip_verify_server yes'] : []),
      'net_interface 127.0.0.1',
      `module_path ${MODULES}`,
      ...['g722', 'g711', 'opus', 'aufile', 'sndfile', 'aubridge', 'stdio', 'srtp'].map(
        (name) => `module ${name}.so`,
      ),
      ...['account', 'menu'].map((name) => `module_app ${name}.so`),
      `audio_source aufile,${join(folder, 'voice.wav')}`,
      'audio_player aubridge,nil',
      'audio_alert aubridge,nil',
      `snd_path ${folder}`,
      'call_max_calls 4',
    ].join('\n'),
  );
  const mode = answers ? 'auto' : 'manual';
  await writeFile(
    join(folder, 'accounts'),
    `<sip:${number}@127.0.0.1:${listen};transport=${tls ? 'tls' : 'tcp'}>;regint=0;answermode=${mode};audio_codecs=${codec}${isEncrypted ? ';mediaenc=srtp-mand' : ''}\n`,
  );
  const child: ChildProcess = spawn('baresip', ['-f', folder, '-v'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-20_000);
    });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for (let tries = 0; tries < 200 && !output.includes('baresip is ready'); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
  return {
    port,
    output: () => output,
    type: (text) => void child.stdin?.write(text),
    heard: async () => {
      const files = (await readdir(folder)).filter((name) => /-dec\.wav$/.test(name));
      return Promise.all(
        files.map(async (name) => {
          const bytes = await readFile(join(folder, name));
          return new Int16Array(
            bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length - (bytes.length % 2)),
          );
        }),
      );
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
