export type { RequestOptions } from '../method.ts';
export type { Page, PageRequest } from '../pages.ts';
export { ParleyError, type ParleyErrorCode } from '../parley-error.ts';
export {
  type BrowserClient,
  type BrowserClientOptions,
  createBrowserClient,
} from './create-browser-client.ts';
