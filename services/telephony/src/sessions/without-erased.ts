import type { ErasedNumbers } from '@parley/kit/removal';
import type { Call } from './call.ts';

/**
 * What a worker remembers of a live call may be older than an erasure. Masks the phone numbers that were erased since `readAt`, in what it
 * writes: since the worker read the call, or since the call began, if it inherited data of another worker.
 */
export type WithoutErased = <T>(call: Pick<Call, 'workspaceId' | 'readAt'>, value: T) => Promise<T>;

/** How far the clocks of a worker and of the database may differ. */
const TOLERANCE_SECONDS = 60;

/** `value` is JSON. */
export function createWithoutErased({ redact }: Pick<ErasedNumbers, 'redact'>): WithoutErased {
  return async ({ workspaceId, readAt }, value) => {
    const text = JSON.stringify(value);
    const publishedAtSeconds = readAt && readAt.getTime() / 1_000 - TOLERANCE_SECONDS;
    const masked = await redact({ text, workspaceId, publishedAtSeconds });
    return masked === text ? value : JSON.parse(masked);
  };
}
