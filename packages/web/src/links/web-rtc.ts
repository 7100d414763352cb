import type { SessionApi } from '../call/api.ts';
import { CallError } from '../call/call-error.ts';
import { type Link, type LinkEvents, readMessage } from './link.ts';
import type { Speaker } from './speaker.ts';

/** Where UDP is blocked nothing comes back at all. */
const CONNECT_TIMEOUT_MS = 2_500;

type Options = LinkEvents & {
  api: SessionApi;
  participant: string;
  iceServers: RTCIceServer[];
  stream: MediaStream;
  speaker: Speaker;
};

/** Connects by WebRTC. Rejects if that does not come up in time. */
export async function connectWebRtc(options: Options): Promise<Link> {
  const { api, participant, iceServers, stream, speaker, onClosed } = options;
  const connection = new RTCPeerConnection({ iceServers, bundlePolicy: 'max-bundle' });
  const channel = connection.createDataChannel('parley', { negotiated: true, id: 0 });
  channel.onmessage = ({ data }) => readMessage(data, options);
  connection.ontrack = ({ track }) => speaker.play(new MediaStream([track]));
  try {
    const [track] = stream.getAudioTracks();
    if (!track) throw new CallError('no_microphone', 'The stream has no audio');
    const sender = connection.addTrack(track, stream);
    await connection.setLocalDescription();
    // The server learns our addresses from our checks: there is nothing to wait for.
    const { sdp } = await api.offer(connection.localDescription?.sdp ?? '', participant);
    await connection.setRemoteDescription({ type: 'answer', sdp });
    await connected(connection);
    connection.onconnectionstatechange = () => {
      if (connection.connectionState === 'failed' || connection.connectionState === 'closed') onClosed();
    };
    return {
      received: async () => {
        let packets = 0;
        for (const report of (await connection.getStats()).values())
          if (report.type === 'inbound-rtp') packets += report.packetsReceived;
        return packets;
      },
      send: (message) => {
        if (channel.readyState === 'open') channel.send(JSON.stringify(message));
      },
      replaceTrack: (next) => sender.replaceTrack(next),
      close: () => connection.close(),
    };
  } catch (err) {
    connection.close();
    throw err;
  }
}

function connected(connection: RTCPeerConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('WebRTC was not connected in time')), CONNECT_TIMEOUT_MS);
    const look = (): void => {
      const { connectionState } = connection;
      if (connectionState === 'connected') resolve();
      else if (connectionState === 'failed') reject(new Error('WebRTC has failed'));
      else return;
      clearTimeout(timer);
    };
    connection.onconnectionstatechange = look;
    look();
  });
}
