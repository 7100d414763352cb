export { backOffMs } from './back-off.ts';
export { coalesce } from './coalesce.ts';
export { createLoop, type Loop, type LoopOptions } from './create-loop.ts';
