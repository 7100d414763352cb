export { createCache } from './cache.ts';
export { createLoadingCache } from './loading-cache.ts';
