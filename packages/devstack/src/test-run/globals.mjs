// What tests import from `@jest/globals`. Jest's functions are of one test file; a module that imports these may be used by several.
const current = () => globalThis[Symbol.for('parley.jest-globals')];

const forward = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _self, args) => current()[name](...args),
    get: (_target, property) => current()[name][property],
  });

export const afterAll = forward('afterAll');
export const afterEach = forward('afterEach');
export const beforeAll = forward('beforeAll');
export const beforeEach = forward('beforeEach');
export const describe = forward('describe');
export const expect = forward('expect');
export const it = forward('it');
export const jest = forward('jest');
export const test = forward('test');
