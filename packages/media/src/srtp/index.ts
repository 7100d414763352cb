export { createSrtpTransport, SRTP_KEY_BYTES, SRTP_SUITE, type SrtpKey } from './srtp-transport.ts';
