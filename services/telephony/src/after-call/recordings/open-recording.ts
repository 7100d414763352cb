import { AppError, notFound } from '@parley/kit/errors';
import type { NoteRead } from './note-reads.ts';
import { type RecordingStore, RecordingStoreError } from './ports.ts';
import type { RecordingLinks } from './recording-links.ts';

export type OpenRecordingDeps = {
  recordingLinks: RecordingLinks;
  recordings: RecordingStore;
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

const KEY = /^([0-9a-f-]{36})\.wav$/;

/** `GET /recordings/{key}`: a valid link is the permission [calls.12]. */
export async function openRecording(
  { recordingLinks, recordings, isRecordingAwaited, noteRead }: OpenRecordingDeps,
  { key, query: { expires = '', reader, signature = '' }, isHead, address, requestId }: Input,
) {
  // Checked first, so that invalid links don't reveal which recordings exist.
  if (!recordingLinks.verify(key, { expires, reader, signature }))
    throw new AppError('FORBIDDEN', 'This link is invalid or has expired: read the call again for a new one');
  const stored = await recordings.open(key);
  const callId = KEY.exec(key)?.[1];
  if (stored === null) {
    if (callId && (await isRecordingAwaited(callId))) throw new RecordingStoreError('not stored yet');
    throw notFound('Recording');
  }
  if (callId && !isHead) await noteRead({ callId, link: { expires, reader }, address, requestId });
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
