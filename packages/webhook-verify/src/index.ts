export {
  type SignedRequestLine,
  type VerifyOptions,
  verifyToolRequest,
  verifyWebhook,
  type WebhookHeaders,
} from './verify-webhook.ts';
