import { createDeepgramDouble } from '@parley/speech/testing';

// The provider double, in its own process so that it cannot delay the measured ones. Sends its address and key.

process.on('disconnect', () => process.exit());
const { url, key } = await createDeepgramDouble();
process.send?.({ url, key });
