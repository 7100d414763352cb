import { randomBytes } from 'node:crypto';
import { classes, isStunMessage, Message, methods, parseMessage } from 'werift';
import type { Address } from '../rtp/latch.ts';
import type { UdpTransport } from '../rtp/udp-transport.ts';

// ICE-lite (RFC 8445, 2.5) for a host with an address that clients reach: it answers checks and begins none, so candidates of clients
// are not needed, and nothing is ever sent to an address that has not proved to have the password. All connections of a process
// share one port: packets find theirs by source address, checks by user name.
//
// werift's own ICE opens a socket per connection and interface, doesn't verify the checks that it receives, and a port that another
// process takes meanwhile ends the process (0.24).

/** One client's side of the port. */
type IceEnd = {
  readonly ufrag: string;
  readonly password: string;
  /** The client's address; undefined before its first nominated check. Changes with its network. */
  readonly remote: Address | undefined;
  /** Sends to the client; dropped while its address is unknown. */
  send(bytes: Uint8Array): void;
  close(): void;
};

type IceListener = {
  /** The client has nominated an address: the first one, or another one. */
  onRemote(): void;
  /** Called for each packet and each verified check of the client. False: it is ignored. */
  accepts(): boolean;
  /** A packet of the client that isn't a check. */
  onPacket(bytes: Buffer): void;
};

export type IceServer = {
  readonly port: number;
  /** `remoteUfrag`: from the client's offer. */
  open(remoteUfrag: string, listener: IceListener): IceEnd;
  close(): void;
};

/** Maximum addresses of a client at a time (networks and ports); more would let one client fill the table. */
const MAX_ADDRESSES = 8;
const MAX_CHECK_BYTES = 548;

type Client = {
  end: IceEnd;
  listener: IceListener;
  username: string;
  addresses: string[];
  check(bytes: Buffer, from: Address): void;
};

/**
 * Owns `transport`. `onError`: a packet could not be handled and was dropped. Any host can send anything to the port, and an exception would
 * end all calls of the process.
 */
export function createIceServer(
  transport: UdpTransport,
  onError: (err: unknown) => void = () => {},
): IceServer {
  const byUfrag = new Map<string, Client>();
  const byAddress = new Map<string, Client>();

  const remember = (client: Client, from: Address): void => {
    const key = keyOf(from);
    if (byAddress.get(key) === client) return;
    byAddress.set(key, client);
    client.addresses.push(key);
    if (client.addresses.length <= MAX_ADDRESSES) return;
    const oldest = client.addresses.shift();
    if (oldest !== undefined && byAddress.get(oldest) === client) byAddress.delete(oldest);
  };

  const handle = (bytes: Buffer, from: Address): void => {
    if (!isStunMessage(bytes)) {
      const listener = byAddress.get(keyOf(from))?.listener;
      if (listener?.accepts()) listener.onPacket(bytes);
    } else if (bytes.length <= MAX_CHECK_BYTES) byUfrag.get(ufragOf(bytes))?.check(bytes, from);
  };

  transport.onPacket((packet, _, from) => {
    try {
      handle(Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength), from);
    } catch (err) {
      onError(err);
    }
  });

  return {
    port: transport.port,
    open(remoteUfrag, listener) {
      const ufrag = randomBytes(6).toString('hex');
      const password = randomBytes(18).toString('hex');
      let remote: Address | undefined;
      const end: IceEnd = {
        ufrag,
        password,
        get remote() {
          return remote;
        },
        send: (bytes) => {
          if (remote) transport.send(bytes, 'rtp', remote);
        },
        close: () => {
          byUfrag.delete(ufrag);
          for (const key of client.addresses) if (byAddress.get(key) === client) byAddress.delete(key);
          client.addresses = [];
        },
      };
      const client: Client = {
        end,
        listener,
        username: `${ufrag}:${remoteUfrag}`,
        addresses: [],
        check: (bytes, from) => {
          const request = parseMessage(bytes, Buffer.from(password));
          if (
            !request ||
            request.messageMethod !== methods.BINDING ||
            request.messageClass !== classes.REQUEST
          )
            return;
          if (request.getAttributeValue('USERNAME') !== client.username || !listener.accepts()) return;
          transport.send(responseTo(request, from, password), 'rtp', from);
          remember(client, from);
          if (!request.attributesKeys.includes('USE-CANDIDATE')) return;
          if (remote && keyOf(remote) === keyOf(from)) return;
          remote = from;
          listener.onRemote();
        },
      };
      byUfrag.set(ufrag, client);
      return end;
    },
    close() {
      for (const { end } of [...byUfrag.values()]) end.close();
      transport.close();
    },
  };
}

function responseTo(request: Message, from: Address, password: string): Buffer {
  return new Message(methods.BINDING, classes.RESPONSE, request.transactionId)
    .setAttribute('XOR-MAPPED-ADDRESS', [from.address, from.port])
    .addMessageIntegrity(Buffer.from(password))
    .addFingerprint().bytes;
}

/** Our part of the user name of an unverified check. */
function ufragOf(bytes: Buffer): string {
  const username = parseMessage(bytes)?.getAttributeValue('USERNAME');
  return typeof username === 'string' ? (username.split(':', 1)[0] ?? '') : '';
}

const keyOf = ({ address, port }: Address): string => `${address} ${port}`;
