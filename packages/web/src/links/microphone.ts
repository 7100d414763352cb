import { CallError, type CallErrorCode } from '../call/call-error.ts';

const BY_NAME: Readonly<Record<string, CallErrorCode>> = {
  NotFoundError: 'no_microphone',
  OverconstrainedError: 'no_microphone',
  NotReadableError: 'no_microphone',
  AbortError: 'no_microphone',
  NotAllowedError: 'microphone_denied',
  SecurityError: 'microphone_blocked',
};

/** Opens the microphone. Rejects with CallError. */
export async function openMicrophone(deviceId?: string): Promise<MediaStream> {
  // Undefined outside of https.
  if (!navigator.mediaDevices?.getUserMedia || isForbidden())
    throw new CallError('microphone_blocked', 'This page may not use the microphone');
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: {
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
        ...(deviceId === undefined ? {} : { deviceId: { exact: deviceId } }),
      },
    });
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    throw new CallError(BY_NAME[name] ?? 'no_microphone', 'The microphone could not be opened', { cause });
  }
}

export function release(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

/** By a policy of the page that embeds it. */
function isForbidden(): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } };
  return featurePolicy ? !featurePolicy.allowsFeature('microphone') : false;
}

/** Whether it opens without a question. */
export async function isMicrophoneGranted(): Promise<boolean> {
  try {
    const { state } = await navigator.permissions.query({ name: 'microphone' as PermissionName });
    return state === 'granted';
  } catch {
    return false;
  }
}

/** Microphones and speakers; their names are known once a microphone was opened. */
export async function listDevices(): Promise<{
  microphones: MediaDeviceInfo[];
  speakers: MediaDeviceInfo[];
}> {
  const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return {
    microphones: devices.filter(({ kind }) => kind === 'audioinput'),
    speakers: devices.filter(({ kind }) => kind === 'audiooutput'),
  };
}
