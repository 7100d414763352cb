export { checkUrlSyntax, type UrlRules } from './check-url-syntax.ts';
export { parseCidr } from './cidr.ts';
export { judgeAddress } from './judge-address.ts';
export type { OutboundClient, OutboundFailure, OutboundRequest, OutboundResult } from './request.ts';
export { newWebhookSecret, signWebhook } from './sign-webhook.ts';
