export * from './endpoint.ts';
export * from './errors.ts';
export * from './services.ts';
export * from './shapes/primitives.ts';
