import { AppError, notFound } from '@parley/kit/errors';
import type { RecordingStore } from './ports.ts';
import type { RecordingLinks } from './recording-links.ts';

export type OpenRecordingDeps = { recordingLinks: RecordingLinks; recordings: RecordingStore };

type Input = { key: string; expires?: string | undefined; signature?: string | undefined };

/** `GET /recordings/{key}` (D6.9): whoever has the link has the permission. */
export async function openRecording(
  { recordingLinks, recordings }: OpenRecordingDeps,
  { key, expires = '', signature = '' }: Input,
) {
  // Said first, so that nobody learns by asking which recordings there are.
  if (!recordingLinks.verify(key, { expires, signature }))
    throw new AppError('FORBIDDEN', 'This link is not valid any more: read the call again for a new one');
  const file = await recordings.fileOf(key);
  if (file === null) throw notFound('Recording');
  return {
    contentType: 'audio/wav',
    file,
    headers: {
      'cache-control': 'private',
      'content-disposition': `inline; filename="${key}"`,
      'x-content-type-options': 'nosniff',
    },
  };
}
