export { CarrierDouble } from './carrier-double.ts';
export { kamailio, type RunningEdge, startEdge } from './start-edge.ts';
export { headerOf, type SipMessage, WorkerDouble } from './worker-double.ts';
