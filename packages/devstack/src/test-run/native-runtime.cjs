const { register } = require('node:module');
const { pathToFileURL } = require('node:url');

/**
 * Stands in for jest's runtime: runs a test file as any program, with Node's own modules, instead of evaluating all of its modules
 * again in a context of its own. So each worker loads a module once, and not once per file, which took most of the time of a run. A
 * module therefore keeps what it stores between files: state belongs into the objects that a context creates.
 */
class NativeRuntime {
  constructor(_config, environment) {
    this.environment = environment;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    await import(pathToFileURL(path));
  }

  requireModule(path) {
    return require(path);
  }

  /** Jest's framework, whose state is one file's. */
  requireInternalModule(path) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    delete require.cache[path];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    globalThis[Symbol.for('parley.jest-globals')] = { ...globals, jest: this.environment.jest };
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {}
}

register('./globals-hooks.mjs', pathToFileURL(__filename));

module.exports = NativeRuntime;
