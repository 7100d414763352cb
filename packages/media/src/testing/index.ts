export { concatenate } from '../audio/frame.ts';
export type { MediaSetup } from './contract-case.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { mediaSessionContract } from './media-session-contract.ts';
export { createRandom } from './random.ts';
export { readWav, type Wav } from './read-wav.ts';
export { farEnd, type ManualTime, manualTime } from './session-setup.ts';
export { audibleMs, shareOf, tone } from './signals.ts';
