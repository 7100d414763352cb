const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** The worker itself: there is no context per file. What a file may change of the process is restored after it. */
class NativeEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    const mocker = new ModuleMocker(globalThis);
    this.timers = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.jest = {
      fn: mocker.fn.bind(mocker),
      spyOn: mocker.spyOn.bind(mocker),
      restoreAllMocks: () => mocker.restoreAllMocks(),
      useFakeTimers: () => this.timers.useFakeTimers(),
      useRealTimers: () => this.timers.useRealTimers(),
      advanceTimersByTime: (ms) => this.timers.advanceTimersByTime(ms),
      getTimerCount: () => this.timers.getTimerCount(),
    };
    const { env, exit, exitCode } = process;
    const { console } = globalThis;
    const copy = { ...env };
    this.restore = () => {
      mocker.restoreAllMocks();
      this.timers.dispose();
      for (const name of Object.keys(env)) if (!Object.hasOwn(copy, name)) delete env[name];
      Object.assign(env, copy);
      process.exit = exit;
      process.exitCode = exitCode;
      globalThis.console = console;
    };
  }

  async setup() {
    // Node maps stacks to the sources itself, unless something else formats them, as jest does.
    Error.prepareStackTrace = undefined;
  }

  async teardown() {
    this.restore();
  }

  getVmContext() {
    return null;
  }
}

module.exports = NativeEnvironment;
