export { createSrtpSession, SRTP_KEY_BYTES, SRTP_SUITE, type SrtpSession } from './srtp-session.ts';
