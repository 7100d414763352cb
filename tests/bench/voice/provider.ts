import { createDeepgramDouble } from '@parley/speech/testing';

// The provider, in a process of its own: it must not delay those that measure. Sends its address and key.

process.on('disconnect', () => process.exit());
const { url, key } = await createDeepgramDouble();
process.send?.({ url, key });
