const GLOBALS = new URL('./globals.mjs', import.meta.url).href;

/** A module hook: tests import ours instead of jest's, which works in jest's runtime only. */
export function resolve(specifier, context, next) {
  return specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context);
}
