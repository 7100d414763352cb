/**
 * The `code` of a system error, or `''`. Not by `instanceof Error`: inside jest's sandbox the errors of Node's own modules are
 * from another realm.
 */
export function errorCode(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && typeof error.code === 'string' ? error.code : '';
}
