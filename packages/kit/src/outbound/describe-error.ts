const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed before the response was complete',
  EPIPE: 'The connection was closed before the request was sent',
  UND_ERR_SOCKET: 'The connection was closed before the response was complete',
  ETIMEDOUT: 'The connection could not be opened in time',
  EHOSTUNREACH: 'The address cannot be reached',
  ENETUNREACH: 'The network of the address cannot be reached',
  ERR_WRONG_PEER: 'The connection reached a different address',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too large',
  ERR_INFORMATIONAL_RESPONSES: 'The receiver sent too many informational responses',
  ERR_RESPONSE_OVERHEAD: 'The response has too many bytes besides its body',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The response does not match its Content-Length',
  UND_ERR_INVALID_ARG: 'A request header is not valid',
  CERT_HAS_EXPIRED: 'The TLS certificate has expired',
  CERT_NOT_YET_VALID: 'The TLS certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'The TLS certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The TLS certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The TLS certificate is signed by an unknown authority',
};

export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** A sentence for the record of an attempt, without internals of the error. */
export function describeError(error: unknown): string {
  const code = codeOf(error);
  if (code.startsWith('HPE_')) return 'The response is not valid HTTP';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'The TLS handshake failed';
  return SENTENCES[code] ?? (code === '' ? 'The connection failed' : `The connection failed (${code})`);
}
