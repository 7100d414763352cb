// One project for everything: tests run TypeScript as ES modules through swc, which checks no types (see `typecheck`).
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  testMatch: ['<rootDir>/{packages,services}/*/{src,tests}/**/*.test.ts', '<rootDir>/tests/**/*.test.ts'],
  resolver: '<rootDir>/packages/devstack/src/test-run/resolve-source.cjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'es6', resolveFully: true },
      },
    ],
  },
  // What hangs, hangs for ever; what is slow on a busy machine has done nothing wrong.
  testTimeout: 180_000,
  // Each file leaves some of its modules in memory: beyond this a worker starts anew, which is cheaper than collecting garbage among them.
  workerIdleMemoryLimit: '700MB',
  // Of the tests of one file that wait side by side (`it.concurrent`): some boot a service each.
  maxConcurrency: 3,
};
