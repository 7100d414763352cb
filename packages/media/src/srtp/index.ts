export {
  createSrtpSession,
  SRTP_KEY_BYTES,
  SRTP_SUITE,
  type SrtpKey,
  type SrtpSession,
} from './srtp-session.ts';
