export * from './assistant.ts';
export * from './audit.ts';
export * from './call.ts';
export * from './catalogue.ts';
export * from './dial.ts';
export * from './envelope.ts';
export * from './phone-number.ts';
export * from './topology.ts';
