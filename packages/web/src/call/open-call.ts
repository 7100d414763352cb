import type { Link } from '../links/link.ts';
import { createMeter, type Meter } from '../links/meter.ts';
import { openMicrophone, release } from '../links/microphone.ts';
import { connectSocket } from '../links/socket.ts';
import { createSpeaker } from '../links/speaker.ts';
import { connectWebRtc } from '../links/web-rtc.ts';
import type { SessionApi } from './api.ts';
import type { Call, CallEvents, CallState, Tool, Turn } from './call.ts';
import { CallError } from './call-error.ts';
import { createEmitter } from './emitter.ts';
import { createTranscript } from './transcript.ts';

export type OpenCallOptions = {
  id: string;
  baseUrl: string;
  accessToken: string;
  participant: string;
  api: SessionApi;
  iceServers: RTCIceServer[];
  /** Undefined: the call is by text. */
  microphone: MediaStream | undefined;
};

/** The server keeps a lost call for so long. */
const RECONNECT_WITHIN_MS = 20_000;
const RETRY_EVERY_MS = 300;
/** Audio comes fifty times a second, silence too. */
const CUT_AFTER_MS = 1_500;
const LOOK_EVERY_MS = 500;
const POLL_EVERY_MS = 600;
/** The last words are still being played. */
const CLOSE_AFTER_MS = 400;
const REASON_TRIES = 15;
const REASON_EVERY_MS = 200;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Joins a call, and carries it to its end. */
export function openCall(options: OpenCallOptions): Call {
  const { id, baseUrl, accessToken, participant, api, iceServers } = options;
  const { on, emit } = createEmitter<CallEvents>();
  const transcript = createTranscript((turn) => emit('transcript', turn));
  let state: CallState = 'connecting';
  let isMuted = false;
  let microphone = options.microphone;
  let link: Link | undefined;
  let isUdpBlocked = false;
  let isConnecting = false;

  let meter: Meter | undefined;
  const listen = (side: 'input' | 'output', stream: MediaStream): void => {
    try {
      meter?.listen(side, stream);
    } catch {
      // A call without a volume is still a call.
    }
  };
  const speaker = microphone && createSpeaker((stream) => listen('output', stream));
  const measure = (): void => {
    if (!microphone || isOver()) return;
    try {
      meter = createMeter((volume) => emit('volume', volume));
    } catch {
      // The browser has no audio context left.
    }
    listen('input', microphone);
  };

  const setState = (next: CallState): void => {
    if (state === next || state === 'ended') return;
    state = next;
    emit('state', next);
  };
  const isOver = (): boolean => state === 'ended';

  /** `leaves`: the server does not know yet that the call is over. */
  const finish = async (leaves = false): Promise<void> => {
    if (isOver()) return;
    // The microphone first: the server may take long to answer.
    release(microphone);
    meter?.close();
    window.removeEventListener('online', reconnect);
    setTimeout(() => {
      link?.close();
      speaker?.close();
    }, CLOSE_AFTER_MS);
    setState('ended');
    if (leaves) await api.leave().catch(() => {});
    emit('end', { reason: await readReason() });
  };
  /** The call is recorded as over a moment after the connection is. */
  const readReason = async (): Promise<string | null> => {
    for (let tries = 0; tries < REASON_TRIES; tries += 1) {
      const read = await catchUp();
      if (read?.status === 'completed') return read.disconnection_reason;
      await sleep(REASON_EVERY_MS);
    }
    return null;
  };

  const onMessage = (message: Record<string, unknown>): void => {
    const { type, ...rest } = message;
    if (type === 'turn') transcript.put(rest as Turn);
    else if (type === 'tool') emit('tool', rest as Tool);
    else if (type === 'ended') void finish();
  };

  const connect = async (stream: MediaStream, output: NonNullable<typeof speaker>): Promise<Link> => {
    const common = { participant, stream, speaker: output, onMessage, onClosed: () => reconnect() };
    if (!isUdpBlocked) {
      try {
        return await connectWebRtc({ ...common, api, iceServers });
      } catch (err) {
        // The server has refused; otherwise its answer came, and nothing else did.
        if (err instanceof CallError || isOver()) throw err;
      }
    }
    const socket = await connectSocket({ ...common, baseUrl, accessToken });
    isUdpBlocked = true;
    return socket;
  };

  /** Connects, or reconnects for as long as the server keeps the call. */
  const establish = async (withinMs: number): Promise<void> => {
    if (isConnecting || !microphone || !speaker) return;
    isConnecting = true;
    const deadline = performance.now() + withinMs;
    let failure: unknown;
    while (!isOver()) {
      try {
        const sent: MediaStream = microphone;
        const opened = await connect(sent, speaker);
        link?.close();
        link = opened;
        const [track] = microphone.getAudioTracks();
        if (microphone !== sent && track) await opened.replaceTrack(track);
        isConnecting = false;
        if (!isOver()) return begin(opened);
        opened.close();
      } catch (err) {
        failure = err;
        if (err instanceof CallError && err.code === 'over') break;
        if (performance.now() > deadline) break;
        await sleep(RETRY_EVERY_MS);
      }
    }
    isConnecting = false;
    if (isOver()) {
      // The visitor hung up during the attempt, which may have joined the call after that.
      await api.leave().catch(() => {});
      return;
    }
    const isExpected = state === 'reconnecting' && failure instanceof CallError && failure.code === 'over';
    await (isExpected ? finish(true) : fail(failure, 'The call could not be connected'));
  };
  const fail = async (cause: unknown, message: string): Promise<void> => {
    if (isOver()) return;
    emit('error', cause instanceof CallError ? cause : new CallError('network', message, { cause }));
    await finish(true);
  };

  const begin = (opened: Link): void => {
    setState('active');
    void catchUp();
    void watch(opened);
  };
  /** Also of what was corrected while there was no connection. */
  const catchUp = async () => {
    const { after, turns } = transcript.unsure();
    const read = await api.read(after).catch(() => undefined);
    // What is stored then is final.
    if (read?.status === 'completed') transcript.disconnect();
    if (read) transcript.addMessages(read.messages, turns);
    return read;
  };
  const watch = async (watched: Link): Promise<void> => {
    let last = -1;
    let lastMs = performance.now();
    while (!isOver() && link === watched && !isConnecting) {
      const received = await watched.received().catch(() => last);
      if (received !== last) {
        last = received;
        lastMs = performance.now();
      } else if (performance.now() - lastMs > CUT_AFTER_MS) reconnect();
      await sleep(LOOK_EVERY_MS);
    }
  };
  const reconnect = (): void => {
    if (isOver() || isConnecting || state === 'connecting') return;
    transcript.disconnect();
    setState('reconnecting');
    void establish(RECONNECT_WITHIN_MS);
  };

  /** By text: polls what the assistant says. */
  const follow = async (): Promise<void> => {
    let failedSinceMs: number | undefined;
    while (!isOver()) {
      try {
        const { status, messages } = await api.read(transcript.lastSeq());
        failedSinceMs = undefined;
        transcript.addMessages(messages);
        if (status === 'in-progress') setState('active');
        else if (status === 'completed') await finish();
      } catch (err) {
        if (err instanceof CallError && err.code === 'over') await finish();
        failedSinceMs ??= performance.now();
        if (state === 'active') setState('reconnecting');
        if (performance.now() - failedSinceMs > RECONNECT_WITHIN_MS)
          await fail(err, 'The server cannot be reached');
      }
      await sleep(POLL_EVERY_MS);
    }
  };

  const start = async (): Promise<void> => {
    // Listeners are added first.
    await Promise.resolve();
    if (microphone) {
      window.addEventListener('online', reconnect);
      keepMicrophone(microphone);
      const established = establish(0);
      // The browser takes some 50 ms for it: meanwhile the offer is on its way.
      measure();
      await established;
      return;
    }
    try {
      await api.join();
      if (isOver()) await api.leave();
      else await follow();
    } catch (err) {
      if (err instanceof CallError) emit('error', err);
      await finish();
    }
  };
  void start();

  const applyMute = (stream: MediaStream | undefined): void => {
    for (const track of stream?.getAudioTracks() ?? []) track.enabled = !isMuted;
  };
  const setMicrophone = async (deviceId?: string): Promise<void> => {
    if (!microphone || isOver()) return;
    const next = await openMicrophone(deviceId);
    applyMute(next);
    try {
      const [track] = next.getAudioTracks();
      if (track && !isOver()) await link?.replaceTrack(track);
    } catch (err) {
      release(next);
      throw err;
    }
    // The call may have ended meanwhile.
    if (isOver()) return release(next);
    release(microphone);
    microphone = next;
    applyMute(next);
    keepMicrophone(next);
    listen('input', next);
  };
  /** If it is unplugged the browser's own choice replaces it; without another one the call cannot go on. */
  const keepMicrophone = (stream: MediaStream): void => {
    for (const track of stream.getAudioTracks())
      track.addEventListener('ended', () => {
        if (stream === microphone)
          setMicrophone().catch((err: unknown) => fail(err, 'The microphone was unplugged'));
      });
  };

  return {
    id,
    mode: microphone ? 'audio' : 'text',
    resume: { accessToken, participant, mode: microphone ? 'audio' : 'text' },
    get state() {
      return state;
    },
    get muted() {
      return isMuted;
    },
    get transcript() {
      return transcript.all();
    },
    on,
    mute: (muted) => {
      isMuted = muted;
      applyMute(microphone);
    },
    sendText: async (text) => {
      await api.write(text);
      if (!microphone) await catchUp();
    },
    sendDigits: (digits) => link?.send({ type: 'dtmf', digits }),
    setMicrophone,
    setSpeaker: async (deviceId) => speaker?.setDevice(deviceId),
    end: () => finish(true),
  };
}
