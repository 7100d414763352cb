import { AppError, notFound } from '@parley/kit/errors';
import type { RecordingStore } from './ports.ts';
import type { RecordingLinks } from './recording-links.ts';

export type OpenRecordingDeps = { recordingLinks: RecordingLinks; recordings: RecordingStore };

type Input = { key: string; expires?: string | undefined; signature?: string | undefined };

/** `GET /recordings/{key}`: a valid link is the permission [calls.12]. */
export async function openRecording(
  { recordingLinks, recordings }: OpenRecordingDeps,
  { key, expires = '', signature = '' }: Input,
) {
  // Checked first, so that invalid links don't reveal which recordings exist.
  if (!recordingLinks.verify(key, { expires, signature }))
    throw new AppError('FORBIDDEN', 'This link is invalid or has expired: read the call again for a new one');
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
