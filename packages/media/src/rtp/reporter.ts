import type { Reception } from './reception.ts';
import { middleNtp, parseRtcp, type ReceptionReport, serializeRtcp } from './rtcp.ts';
import type { SenderTotals } from './sender.ts';

const INTERVAL_MS = 5_000;
/** In a session of two the interval varies between half and one and a half times its mean (RFC 3550, 6.3.1). */
const SPREAD = 0.5;
const NTP_UNITS_PER_MS = 65.536;

type Progress = {
  nowMs: number;
  sent: SenderTotals;
  received: { ssrc: number; report: Reception['report'] } | undefined;
};

/** RTCP of one session: sends a report about every five seconds, and evaluates those of the far end. */
export type Reporter = {
  /** A report if one is due. */
  tick(progress: Progress): Uint8Array | undefined;
  /** The last report, with a goodbye. */
  goodbye(progress: Progress): Uint8Array;
  /** Returns false if the bytes are malformed. */
  receive(bytes: Uint8Array, nowMs: number): boolean;
  readonly roundTripMs: number | undefined;
  readonly remoteLoss: number | undefined;
};

export function createReporter(options: { ssrc: number; cname: string; random: () => number }): Reporter {
  const { ssrc, cname, random } = options;
  let nextMs: number | undefined;
  let heard: { ntp: number; atMs: number } | undefined;
  let roundTripMs: number | undefined;
  let remoteLoss: number | undefined;

  const compose = ({ nowMs, sent, received }: Progress, bye: boolean): Uint8Array => {
    const own = received?.report();
    const report: ReceptionReport | undefined = received &&
      own && {
        ssrc: received.ssrc,
        ...own,
        lastSenderReport: heard?.ntp ?? 0,
        delaySinceSenderReport: heard ? Math.round((nowMs - heard.atMs) * NTP_UNITS_PER_MS) : 0,
      };
    return serializeRtcp({
      ssrc,
      cname,
      bye,
      ...(sent.packets > 0 && {
        sender: { nowMs, rtpTimestamp: sent.timestamp, packets: sent.packets, octets: sent.octets },
      }),
      ...(report && { report }),
    });
  };

  return {
    tick(progress) {
      nextMs ??= progress.nowMs + INTERVAL_MS * random();
      if (progress.nowMs < nextMs) return undefined;
      nextMs = progress.nowMs + INTERVAL_MS * (1 - SPREAD + 2 * SPREAD * random());
      return compose(progress, false);
    },
    goodbye: (progress) => compose(progress, true),
    receive(bytes, nowMs) {
      const content = parseRtcp(bytes);
      if (!content) return false;
      if (content.senderReport) heard = { ntp: content.senderReport.ntp, atMs: nowMs };
      const own = content.reports.find((report) => report.ssrc === ssrc);
      if (!own) return true;
      remoteLoss = own.fractionLost;
      if (own.lastSenderReport === 0) return true;
      const units = (middleNtp(nowMs) - own.lastSenderReport - own.delaySinceSenderReport) | 0;
      if (units >= 0) roundTripMs = units / NTP_UNITS_PER_MS;
      return true;
    },
    get roundTripMs() {
      return roundTripMs;
    },
    get remoteLoss() {
      return remoteLoss;
    },
  };
}
