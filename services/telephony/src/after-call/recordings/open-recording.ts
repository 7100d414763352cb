import { AppError, notFound } from '@parley/kit/errors';
import { type RecordingStore, RecordingStoreError } from './ports.ts';
import type { RecordingLinks } from './recording-links.ts';

export type OpenRecordingDeps = {
  recordingLinks: RecordingLinks;
  recordings: RecordingStore;
  /** Whether the recording of this call is still to be stored. */
  isRecordingAwaited: (callId: string) => Promise<boolean>;
};

type Input = { key: string; expires?: string | undefined; signature?: string | undefined };

const KEY = /^([0-9a-f-]{36})\.wav$/;

/** `GET /recordings/{key}`: a valid link is the permission [calls.12]. */
export async function openRecording(
  { recordingLinks, recordings, isRecordingAwaited }: OpenRecordingDeps,
  { key, expires = '', signature = '' }: Input,
) {
  // Checked first, so that invalid links don't reveal which recordings exist.
  if (!recordingLinks.verify(key, { expires, signature }))
    throw new AppError('FORBIDDEN', 'This link is invalid or has expired: read the call again for a new one');
  const stored = await recordings.open(key);
  if (stored === null) {
    const callId = KEY.exec(key)?.[1];
    if (callId && (await isRecordingAwaited(callId))) throw new RecordingStoreError('not stored yet');
    throw notFound('Recording');
  }
  return {
    contentType: 'audio/wav',
    ...stored,
    headers: {
      'cache-control': 'private',
      'content-disposition': `inline; filename="${key}"`,
      'x-content-type-options': 'nosniff',
    },
  };
}
