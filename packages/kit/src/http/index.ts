export type { App, AppOptions, Authenticate } from './app.ts';
export { type Actor, type Auth, NO_WORKSPACE } from './auth.ts';
export { requirePermission } from './authenticate.ts';
export { JSON_LIMIT_BYTES, payloadTooLarge, STREAM_LIMIT_BYTES } from './body-limits.ts';
export { checkJson } from './check-text.ts';
export { connectPeer } from './connect-peer.ts';
export { createApp } from './create-app.ts';
export { createPeer, type Peer, type PeerContext, type PeerOptions } from './create-peer.ts';
export type { AnswerOf, Handler, HandlerInput, ListAnswer, RawAnswer } from './handler.ts';
export {
  createInternalTokens,
  INTERNAL_TOKEN_HEADER,
  type InternalClaims,
  type InternalTokens,
} from './internal-tokens.ts';
export { toListPage } from './list-page.ts';
export { type ListenOptions, listen } from './listen.ts';
export { mount } from './mount.ts';
export { contextOf, type RequestContext } from './request-context.ts';
export { createRouteTable, type Match, parameterNames, type RouteTable } from './route-table.ts';
