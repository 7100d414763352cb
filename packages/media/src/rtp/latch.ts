// Symmetric RTP: media is sent back to the address it comes from, because behind NAT the address in SDP is often private.
//
//   state      packets are sent to        leaves it
//   signalled  the address from SDP,      a packet from the address in SDP, or some in sequence of one source (below) → latched
//              if it may be sent to
//   latched    the source                 a new SDP → signalled; a packet from the address in SDP, or some in sequence from another port
//                                         of the same host, once the latched one has been silent for two seconds → latched to it
//
// Otherwise any host that guesses a port could join the call or take it ("RTP bleed"). A source may be latched to if its host is the one in
// SDP or one of `peers`, from which the signalling of the call comes, after two packets in sequence. Where no peers are known and the
// address in SDP may not be sent to, any host may, after ten. Once latched, the host stays until the next SDP, and so does the stream: packets
// with another SSRC are rejected while that of the latched one goes on.

const SILENT_MS = 2_000;
const PROBATION = 2;
const UNKNOWN_HOST_PROBATION = 10;
/** A gateway that starts a new stream stops the previous one. */
const STREAM_SILENT_MS = 60;

export type Address = { readonly address: string; readonly port: number };

/** An address from SDP. `isSendable`: packets may be sent to it before any has arrived; true by default. */
export type SignalledAddress = Address & { readonly isSendable?: boolean };

export type Latch = {
  /** The destination; undefined until it is known. */
  readonly remote: Address | undefined;
  /** A new address from SDP; undefined: none is known. */
  signal(remote: SignalledAddress | undefined): void;
  /** Whether a well-formed packet of a negotiated payload type may be used. */
  accept(from: Address, packet: Stream, nowMs: number): boolean;
};

type Stream = { ssrc: number; sequence: number };

/** `peers`: hosts that media may come from besides the one in SDP. */
export function createLatch(signalled?: SignalledAddress, peers: readonly string[] = []): Latch {
  let announced = signalled;
  let latched: Address | undefined;
  let ssrc: number | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let candidate: (Address & Stream & { seen: number }) | undefined;

  const isSendable = (): boolean => announced !== undefined && announced.isSendable !== false;

  /** How many packets in sequence a source must send; undefined: it must not be latched to. */
  const probationOf = ({ address }: Address): number | undefined => {
    if (latched) return latched.address === address ? PROBATION : undefined;
    if (announced?.address === address || peers.includes(address)) return PROBATION;
    return peers.length === 0 && !isSendable() ? UNKNOWN_HOST_PROBATION : undefined;
  };

  const hasProven = (from: Address, packet: Stream): boolean => {
    const needed = probationOf(from);
    if (needed === undefined) return false;
    const follows =
      candidate !== undefined &&
      isSame(candidate, from) &&
      candidate.ssrc === packet.ssrc &&
      packet.sequence === (candidate.sequence + 1) % 65_536;
    candidate = { ...from, ...packet, seen: follows && candidate ? candidate.seen + 1 : 1 };
    return candidate.seen >= needed;
  };

  return {
    get remote() {
      return latched ?? (isSendable() ? announced : undefined);
    },
    signal(remote) {
      announced = remote;
      latched = undefined;
      candidate = undefined;
    },
    accept(from, packet, nowMs) {
      if (latched && isSame(latched, from)) {
        if (packet.ssrc !== ssrc && nowMs - lastMs < STREAM_SILENT_MS) return false;
      } else {
        const isExpected = announced !== undefined && isSame(announced, from);
        if (latched && !isExpected && nowMs - lastMs < SILENT_MS) return false;
        if (!isExpected && !hasProven(from, packet)) return false;
        latched = { address: from.address, port: from.port };
        candidate = undefined;
      }
      ssrc = packet.ssrc;
      lastMs = nowMs;
      return true;
    },
  };
}

function isSame(a: Address, b: Address): boolean {
  return a.port === b.port && a.address === b.address;
}
