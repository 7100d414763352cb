export {
  createConsumerRuntime,
  createRuntime,
  type Runtime,
  type RuntimeConfig,
  type RuntimeOptions,
  type RuntimeOverrides,
  type RuntimeProcess,
  type ServiceAddress,
} from './create-runtime.ts';
export { runService, type ServiceOptions } from './run-service.ts';
