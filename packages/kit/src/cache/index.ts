export { type Cache, type CacheOptions, createCache } from './cache.ts';
export {
  type Cached,
  createLoadingCache,
  type LoadingCache,
  type LoadingCacheOptions,
} from './loading-cache.ts';
