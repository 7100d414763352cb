export type { Call, CallEvents, CallState, EndOfCall, Tool, Turn, Volume } from './call/call.ts';
export { CallError, type CallErrorCode } from './call/call-error.ts';
export { type JoinCallOptions, joinCall, type StartCallOptions, startCall } from './call/start-call.ts';
export { listDevices } from './links/microphone.ts';
