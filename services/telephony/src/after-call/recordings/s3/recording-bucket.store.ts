import type { RecordingStore } from '../ports.ts';
import { prefixOf } from '../recording-keys.ts';
import type { Bucket } from './bucket.ts';

/** Recordings as objects of an S3-compatible bucket (ADR 55). */
export function createRecordingBucket(bucket: Bucket): RecordingStore {
  return {
    put: bucket.put,
    open: async (key) => {
      const found = await bucket.find(key);
      return found && { content: { ...found, read: (part) => bucket.stream(key, part) } };
    },
    read: (key, start, maxBytes) => bucket.read(key, { start, end: start + maxBytes - 1 }),
    remove: bucket.remove,
    removeAll: async (callId) => {
      for await (const { key } of bucket.list(prefixOf(callId))) await bucket.remove(key);
    },
    // An upload is one request: there is nothing unfinished.
    sweep: async () => {},
  };
}
