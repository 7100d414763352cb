// Symmetric RTP: media is sent back to the address it comes from, because behind NAT the address in SDP is often private.
//
//   state      packets are sent to        leaves it
//   signalled  the address from SDP       a packet from that address, or two in sequence of one source from elsewhere → latched
//   latched    the source                 a new SDP → signalled; two in sequence from another source, once the latched one has
//                                         been silent for two seconds → latched to it
//
// While latched, packets of other addresses are rejected: otherwise any host that guesses a port could join the call ("RTP bleed").

const SILENT_MS = 2_000;
const PROBATION = 2;

export type Address = { readonly address: string; readonly port: number };

export type Latch = {
  /** The destination; undefined until it is known. */
  readonly remote: Address | undefined;
  /** A new address from SDP; undefined: one that must not be sent to. */
  signal(remote: Address | undefined): void;
  /** Whether a well-formed packet of a negotiated payload type may be used. */
  accept(from: Address, packet: { ssrc: number; sequence: number }, nowMs: number): boolean;
};

export function createLatch(signalled?: Address): Latch {
  let announced = signalled;
  let latched: Address | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let candidate: (Address & { ssrc: number; sequence: number; seen: number }) | undefined;

  const onProbation = (from: Address, { ssrc, sequence }: { ssrc: number; sequence: number }): boolean => {
    const follows =
      candidate !== undefined &&
      isSame(candidate, from) &&
      candidate.ssrc === ssrc &&
      sequence === (candidate.sequence + 1) % 65_536;
    candidate = { ...from, ssrc, sequence, seen: follows && candidate ? candidate.seen + 1 : 1 };
    return candidate.seen >= PROBATION;
  };

  return {
    get remote() {
      return latched ?? announced;
    },
    signal(remote) {
      announced = remote;
      latched = undefined;
      candidate = undefined;
    },
    accept(from, packet, nowMs) {
      if (latched && isSame(latched, from)) {
        lastMs = nowMs;
        return true;
      }
      if (latched && nowMs - lastMs < SILENT_MS) return false;
      const expected = !latched && announced !== undefined && isSame(announced, from);
      if (!expected && !onProbation(from, packet)) return false;
      latched = { address: from.address, port: from.port };
      lastMs = nowMs;
      candidate = undefined;
      return true;
    },
  };
}

function isSame(a: Address, b: Address): boolean {
  return a.port === b.port && a.address === b.address;
}
