export { placesIn } from './body-places.ts';
export { type HostileEndpoint, hostileEndpoint } from './hostile-endpoint.ts';
export { hostileValues } from './hostile-values.ts';
