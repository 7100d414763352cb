// One project for everything. Tests run as programs do, with Node's own modules: tsx strips types and checks none (see `typecheck`).
export default {
  runner: '<rootDir>/packages/devstack/src/test-run/lane-runner.ts',
  runtime: '<rootDir>/packages/devstack/src/test-run/native-runtime.cjs',
  testEnvironment: '<rootDir>/packages/devstack/src/test-run/native-environment.cjs',
  testMatch: ['<rootDir>/{packages,services}/*/{src,tests}/**/*.test.ts', '<rootDir>/tests/**/*.test.ts'],
  resolver: '<rootDir>/packages/devstack/src/test-run/resolve-source.cjs',
  transform: {},
  // What hangs, hangs for ever; what is slow on a busy machine has done nothing wrong.
  testTimeout: 180_000,
  // Of the tests of one file that wait side by side (`it.concurrent`): some boot a service each.
  maxConcurrency: 3,
};
