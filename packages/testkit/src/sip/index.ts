export * from './scenario.ts';
export { hasSipp, type Sipp, type SippOptions, startSipp } from './sipp.ts';
