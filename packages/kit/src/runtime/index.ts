export {
  createConsumerRuntime,
  createRuntime,
  type RuntimeOverrides,
  type RuntimeProcess,
} from './create-runtime.ts';
export { runService } from './run-service.ts';
