export { CarrierDouble } from './carrier-double.ts';
export { edgeMetrics, scan } from './scan.ts';
export { kamailio, type RunningEdge, startEdge } from './start-edge.ts';
export { hasRtpengine, type RunningRtpengine, startRtpengine } from './start-rtpengine.ts';
export { headerOf, type SipMessage, WorkerDouble } from './worker-double.ts';
