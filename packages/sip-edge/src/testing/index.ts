export { CarrierDouble } from './carrier-double.ts';
export { edgeMetrics, scan } from './scan.ts';
export { kamailio, startEdge } from './start-edge.ts';
export { headerOf, WorkerDouble } from './worker-double.ts';
