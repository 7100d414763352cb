export { agentIdsOf, mayUseAgent, requireAgent } from './agent-scope.ts';
export type { App, AppOptions } from './app.ts';
export { type Actor, type Auth, type ChangedBy, type KeyScope, NO_WORKSPACE } from './auth.ts';
export { bodyLimitOf, payloadTooLarge } from './body-limits.ts';
export { checkJsonShape, MAX_LEVELS } from './check-json-shape.ts';
export { checkJson } from './check-text.ts';
export { disconnect, goneSignal, isClientGone } from './client-gone.ts';
export { readLimitsOf } from './client-reads.ts';
export { createApp } from './create-app.ts';
export { forwardWebSocket } from './forward-web-socket.ts';
export type { HandlerInput, ListPage, StreamedList } from './handler.ts';
export {
  createInternalTokens,
  INTERNAL_TOKEN_HEADER,
  type InternalClaims,
  type InternalTokens,
} from './internal-tokens.ts';
export { toListPage, toOffsetPage } from './list-page.ts';
export { listen } from './listen.ts';
export { allowOnlyGet, methodNotAllowed } from './method-not-allowed.ts';
export { mount } from './mount.ts';
export { createReadJson, readBytes } from './read-json.ts';
export { contextOf, type RequestContext } from './request-context.ts';
export { requirePermission } from './require-permission.ts';
export { sendFile } from './send-file.ts';
export {
  type CallContext,
  connectService,
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
} from './service-client.ts';
export { shareOf } from './share-of.ts';
export type { OnWebSocket, WebSocketRequest } from './upgrade-requests.ts';
export { webSocketProtocols } from './web-socket-protocols.ts';
