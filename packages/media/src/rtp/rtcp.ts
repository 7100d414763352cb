import { packets } from 'rtp.js';
import { viewOf } from './packet.ts';

/** What one side reports about the stream that it receives (RFC 3550, 6.4.1). */
export type ReceptionReport = {
  ssrc: number;
  /** Share of packets lost since the last report, 0 to 1. */
  fractionLost: number;
  /** Packets lost since the beginning; negative in reports of others that count duplicates. */
  totalLost: number;
  /** With the count of wraps in the upper 16 bits. */
  highestSequence: number;
  /** In timestamp units. */
  jitter: number;
  /** Middle 32 bits of the NTP time of the last sender report, 0 if there was none. */
  lastSenderReport: number;
  /** Since then, in 1/65,536 s. */
  delaySinceSenderReport: number;
};

/** A sender's view of its own stream. */
export type SenderInfo = { nowMs: number; rtpTimestamp: number; packets: number; octets: number };

export type RtcpContent = {
  senderReport?: { ssrc: number; ntp: number };
  reports: ReceptionReport[];
  /** Sources that have left. */
  byes: number[];
};

const NTP_EPOCH_OFFSET_S = 2_208_988_800;
const FRACTION = 2 ** 32;
const MAX_BYTES = 2_048;
const SDES_CNAME = 1;
const MAX_TOTAL_LOST = 2 ** 23 - 1;
const LOST_RANGE = 2 ** 24;
const TOTAL_LOST_OFFSET = 4;

/** A compound packet: sender or receiver report, source description, and a goodbye where `bye` says so. */
export function serializeRtcp(content: {
  ssrc: number;
  cname: string;
  sender?: SenderInfo;
  report?: ReceptionReport;
  bye?: boolean;
}): Uint8Array {
  const { ssrc, cname, sender, report, bye } = content;
  const head = sender ? senderReport(sender) : new packets.ReceiverReportPacket();
  head.setSsrc(ssrc);
  if (report) head.addReport(toBlock(report));
  const chunk = new packets.SdesChunk();
  chunk.setSsrc(ssrc);
  chunk.addItem(SDES_CNAME, cname);
  const description = new packets.SdesPacket();
  description.addChunk(chunk);
  const compound = new packets.CompoundPacket();
  compound.addPacket(head);
  compound.addPacket(description);
  if (bye) {
    const goodbye = new packets.ByePacket();
    goodbye.addSsrc(ssrc);
    compound.addPacket(goodbye);
  }
  const view = compound.getView();
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** Returns undefined unless the bytes are a well-formed compound packet. */
export function parseRtcp(bytes: Uint8Array): RtcpContent | undefined {
  if (bytes.length > MAX_BYTES) return undefined;
  try {
    if (!packets.isRtcp(viewOf(bytes))) return undefined;
    const content: RtcpContent = { reports: [], byes: [] };
    for (const packet of new packets.CompoundPacket(viewOf(bytes)).getPackets()) {
      if (packet instanceof packets.SenderReportPacket) {
        const ntp = middleOf(packet.getNtpSeconds(), packet.getNtpFraction());
        content.senderReport = { ssrc: packet.getSsrc(), ntp };
        content.reports.push(...packet.getReports().map(fromBlock));
      } else if (packet instanceof packets.ReceiverReportPacket) {
        content.reports.push(...packet.getReports().map(fromBlock));
      } else if (packet instanceof packets.ByePacket) {
        content.byes.push(...packet.getSsrcs());
      }
    }
    return content;
  } catch {
    return undefined;
  }
}

/** Middle 32 bits of the NTP time, in 1/65,536 s: the unit of round trips. */
export function middleNtp(nowMs: number): number {
  const { seconds, fraction } = toNtp(nowMs);
  return middleOf(seconds, fraction);
}

function senderReport(info: SenderInfo): packets.SenderReportPacket {
  const packet = new packets.SenderReportPacket();
  const { seconds, fraction } = toNtp(info.nowMs);
  packet.setNtpSeconds(seconds);
  packet.setNtpFraction(fraction);
  packet.setRtpTimestamp(info.rtpTimestamp);
  packet.setPacketCount(info.packets >>> 0);
  packet.setOctetCount(info.octets >>> 0);
  return packet;
}

function toBlock(report: ReceptionReport): packets.ReceptionReport {
  const block = new packets.ReceptionReport();
  block.setSsrc(report.ssrc);
  block.setFractionLost(Math.min(255, Math.max(0, Math.floor(report.fractionLost * 256))));
  // rtp.js writes negative counts as sign and magnitude; duplicates are not worth more.
  block.setTotalLost(Math.max(0, Math.min(MAX_TOTAL_LOST, report.totalLost)));
  block.setHighestSeqNumber(report.highestSequence >>> 0);
  block.setJitter(Math.round(report.jitter) >>> 0);
  block.setLastSRTimestamp(report.lastSenderReport);
  block.setDelaySinceLastSR(report.delaySinceSenderReport >>> 0);
  return block;
}

function fromBlock(block: packets.ReceptionReport): ReceptionReport {
  // getTotalLost of rtp.js 0.15 reads the lower 12 of 24 bits only.
  const lost = block.getView().getUint32(TOTAL_LOST_OFFSET) & (LOST_RANGE - 1);
  return {
    ssrc: block.getSsrc(),
    fractionLost: block.getFractionLost() / 256,
    totalLost: lost > MAX_TOTAL_LOST ? lost - LOST_RANGE : lost,
    highestSequence: block.getHighestSeqNumber(),
    jitter: block.getJitter(),
    lastSenderReport: block.getLastSRTimestamp(),
    delaySinceSenderReport: block.getDelaySinceLastSR(),
  };
}

function toNtp(nowMs: number): { seconds: number; fraction: number } {
  const whole = Math.floor(nowMs / 1_000);
  const fraction = Math.floor(((nowMs - whole * 1_000) / 1_000) * FRACTION);
  return { seconds: (whole + NTP_EPOCH_OFFSET_S) % FRACTION, fraction };
}

function middleOf(seconds: number, fraction: number): number {
  return ((seconds % 65_536) * 65_536 + Math.floor(fraction / 65_536)) >>> 0;
}
