import { createDeepgramDouble, createOpenAiRealtimeDouble } from '@parley/speech/testing';
import type { Doubles } from './protocol.ts';

// The doubles of providers, in their own process so that they cannot delay the measured ones: one that works, one that breaks off and
// refuses, and a live model. Sends their addresses and keys.

process.on('disconnect', () => process.exit());
const [working, broken, live] = await Promise.all([
  createDeepgramDouble(),
  createDeepgramDouble(),
  createOpenAiRealtimeDouble(),
]);
broken.behave({ kind: 'status', status: 500 });
const addressOf = ({ url, key }: { url: string; key: string }) => ({ url, key });
const doubles: Doubles = { ...addressOf(working), broken: addressOf(broken), live: addressOf(live) };
process.send?.(doubles);
