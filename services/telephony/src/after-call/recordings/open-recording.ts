import { AppError, notFound } from '@parley/kit/errors';
import type { NoteRead } from './note-reads.ts';
import { type RecordingStore, RecordingStoreError } from './ports.ts';
import { callOf } from './recording-keys.ts';
import type { RecordingLinks } from './recording-links.ts';

export type OpenRecordingDeps = {
  recordingLinks: RecordingLinks;
  recordings: RecordingStore;
  /** The recording that the call has, or that is announced. */
  findRecordingKey: (callId: string) => Promise<string | null>;
  /** Whether the recording of this call is still to be stored. */
  isRecordingAwaited: (callId: string) => Promise<boolean>;
  noteRead: NoteRead;
};

type Input = {
  key: string;
  query: { expires?: string | undefined; reader?: string | undefined; signature?: string | undefined };
  /** HEAD: nothing of the recording is sent. */
  isHead: boolean;
  address: string | undefined;
  requestId: string;
};

/**
 * `GET /recordings/{key}`: a valid link is the permission [calls.12]. It opens the recording that the call has now, under whatever key:
 * a link may be older, and a file that is no longer a recording is never sent.
 */
export async function openRecording(
  { recordingLinks, recordings, findRecordingKey, isRecordingAwaited, noteRead }: OpenRecordingDeps,
  { key, query: { expires = '', reader, signature = '' }, isHead, address, requestId }: Input,
) {
  // Checked first, so that invalid links don't reveal which recordings exist.
  if (!recordingLinks.verify(key, { expires, reader, signature }))
    throw new AppError('FORBIDDEN', 'This link is invalid or has expired: read the call again for a new one');
  const callId = callOf(key);
  if (callId === undefined) throw notFound('Recording');
  const current = await findRecordingKey(callId);
  const stored = current === null ? null : await recordings.open(current);
  if (stored === null) {
    if (await isRecordingAwaited(callId)) throw new RecordingStoreError('not stored yet');
    throw notFound('Recording');
  }
  if (!isHead) await noteRead({ callId, link: { expires, reader }, address, requestId });
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
