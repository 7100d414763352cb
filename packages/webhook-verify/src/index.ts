export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.ts';
