export { createIceServer, type IceServer } from './ice-server.ts';
export {
  createWebRtcPeer,
  PEER_ADDRESS,
  prepareWebRtc,
  type WebRtcPeer,
} from './peer.ts';
