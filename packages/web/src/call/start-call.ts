import { isMicrophoneGranted, openMicrophone, release } from '../links/microphone.ts';
import { createCall, createSessionApi } from './api.ts';
import type { Call } from './call.ts';
import { openCall } from './open-call.ts';

type CommonOptions = {
  /** Of the server, such as `https://parley.example.com`. */
  baseUrl: string;
  /** `text`: by writing only, without a microphone. Default: `audio`, which becomes text where the server has no speech. */
  mode?: 'audio' | 'text';
  /** Of the microphone; by default the browser's choice. */
  deviceId?: string;
};

export type StartCallOptions = CommonOptions & {
  /** A public key: `svc_pub_…`. */
  publicKey: string;
  agentId: string;
  /** For the assistant's prompt. */
  variables?: Record<string, unknown>;
  /** Stored with the call. */
  metadata?: Record<string, unknown>;
};

export type JoinCallOptions = CommonOptions & {
  /** Of a call that your server has started (`POST /v2/call/web`), or that this browser was in. */
  accessToken: string;
  /** To come back to a call after the page was loaded again; `mode` must be the one that the call was joined in. */
  participant?: string;
};

/** Starts a call with an assistant. Rejects with CallError if the call or the microphone is refused. */
export async function startCall(options: StartCallOptions): Promise<Call> {
  const { publicKey, agentId, variables, metadata, ...common } = options;
  const baseUrl = withoutSlash(common.baseUrl);
  const create = () =>
    createCall(baseUrl, publicKey, {
      agent_id: agentId,
      ...(variables && { dynamic_variables: variables }),
      ...(metadata && { metadata }),
    });
  // If the browser has to ask for permission, a call would have to wait for the answer, and be wasted if it is no.
  const isAsked = common.mode !== 'text' && !(await isMicrophoneGranted());
  const microphone = common.mode === 'text' ? undefined : openMicrophone(common.deviceId);
  microphone?.catch(() => {});
  if (isAsked) await microphone;
  try {
    const { access_token } = await create();
    return await join({ ...common, baseUrl, accessToken: access_token }, microphone);
  } catch (err) {
    microphone?.then(release).catch(() => {});
    throw err;
  }
}

/** Joins a call that exists. Rejects with CallError. */
export function joinCall(options: JoinCallOptions): Promise<Call> {
  return join(options, options.mode === 'text' ? undefined : openMicrophone(options.deviceId));
}

async function join(options: JoinCallOptions, microphone: Promise<MediaStream> | undefined): Promise<Call> {
  const { accessToken, participant = newParticipant() } = options;
  const baseUrl = withoutSlash(options.baseUrl);
  const api = createSessionApi(baseUrl, accessToken);
  // Awaited below; until then a refusal is not an unhandled rejection.
  microphone?.catch(() => {});
  try {
    const { call_id, audio, ice_servers } = await api.describe();
    const isSpoken = audio && typeof RTCPeerConnection === 'function';
    const stream = isSpoken ? await microphone : undefined;
    if (!isSpoken) microphone?.then(release).catch(() => {});
    return openCall({
      id: call_id,
      baseUrl,
      accessToken,
      participant,
      api,
      iceServers: ice_servers,
      microphone: stream,
    });
  } catch (err) {
    microphone?.then(release).catch(() => {});
    throw err;
  }
}

function newParticipant(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
