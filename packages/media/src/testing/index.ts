export { createManualClock, type ManualClock } from './manual-clock.ts';
export { type ContractCase, type MediaSetup, mediaSessionContract } from './media-session-contract.ts';
export { createRandom } from './random.ts';
export { audibleMs, concatenate, shareOf, tone } from './signals.ts';
