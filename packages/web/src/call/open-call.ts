import type { Link } from '../links/link.ts';
import { createMeter } from '../links/meter.ts';
import { openMicrophone } from '../links/microphone.ts';
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

  const meter = microphone && createMeter((volume) => emit('volume', volume));
  const speaker = microphone && createSpeaker((stream) => meter?.listen('output', stream));
  if (microphone) meter?.listen('input', microphone);

  const setState = (next: CallState): void => {
    if (state === next || state === 'ended') return;
    state = next;
    emit('state', next);
  };
  const isOver = (): boolean => state === 'ended';

  const finish = async (): Promise<void> => {
    if (isOver()) return;
    setState('ended');
    window.removeEventListener('online', reconnect);
    meter?.close();
    for (const track of microphone?.getTracks() ?? []) track.stop();
    setTimeout(() => {
      link?.close();
      speaker?.close();
    }, CLOSE_AFTER_MS);
    emit('end', { reason: await readReason() });
  };
  /** The call is recorded as over a moment after the connection is. */
  const readReason = async (): Promise<string | null> => {
    for (let tries = 0; tries < REASON_TRIES; tries += 1) {
      const read = await api.read(transcript.lastSeq()).catch(() => undefined);
      if (read) transcript.addMessages(read.messages);
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
        const opened = await connect(microphone, speaker);
        link?.close();
        link = opened;
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
    if (!isExpected) {
      const error =
        failure instanceof CallError
          ? failure
          : new CallError('network', 'The call could not be connected', { cause: failure });
      emit('error', error);
    }
    await api.leave().catch(() => {});
    await finish();
  };

  const begin = (opened: Link): void => {
    setState('active');
    void catchUp();
    void watch(opened);
  };
  const catchUp = async (): Promise<void> => {
    const read = await api.read(transcript.lastSeq()).catch(() => undefined);
    if (read) transcript.addMessages(read.messages);
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
    setState('reconnecting');
    void establish(RECONNECT_WITHIN_MS);
  };

  /** By text: the server is asked for what the assistant says. */
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
        if (performance.now() - failedSinceMs > RECONNECT_WITHIN_MS) {
          emit('error', new CallError('network', 'The server cannot be reached', { cause: err }));
          await finish();
        }
      }
      await sleep(POLL_EVERY_MS);
    }
  };

  const start = async (): Promise<void> => {
    // Listeners are added first.
    await Promise.resolve();
    if (microphone) {
      window.addEventListener('online', reconnect);
      await establish(0);
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

  const applyMute = (): void => {
    for (const track of microphone?.getAudioTracks() ?? []) track.enabled = !isMuted;
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
      applyMute();
    },
    sendText: async (text) => {
      await api.write(text);
      if (!microphone) await catchUp();
    },
    sendDigits: (digits) => link?.send({ type: 'dtmf', digits }),
    setMicrophone: async (deviceId) => {
      const next = await openMicrophone(deviceId);
      const [track] = next.getAudioTracks();
      if (!track) return;
      await link?.replaceTrack(track);
      for (const old of microphone?.getTracks() ?? []) old.stop();
      microphone = next;
      applyMute();
      meter?.listen('input', next);
    },
    setSpeaker: async (deviceId) => speaker?.setDevice(deviceId),
    end: async () => {
      if (isOver()) return;
      await api.leave().catch(() => {});
      await finish();
    },
  };
}
