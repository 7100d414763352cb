export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from '@parley/webhook-verify';
export { type Client, type ClientOptions, createClient } from './create-client.ts';
export type { RequestOptions } from './method.ts';
export type { Page, PageRequest } from './pages.ts';
export { ParleyError, type ParleyErrorCode } from './parley-error.ts';
