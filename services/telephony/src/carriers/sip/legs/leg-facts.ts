import type { EndCause, LegEvent, ProviderCause } from '../../call-control.ts';

/** The events of a leg: emitted as they happen, and again to a session that attaches. */
export type LegFacts = {
  ringing(isEarlyMedia: boolean): void;
  media(): void;
  answered(at?: Date): void;
  /** Only the first end counts. */
  ended(cause: EndCause, provider?: ProviderCause): void;
  keys(digits: string): void;
  transferResult(transferId: string, ok: boolean): void;
  /** Emits everything again. */
  replay(): void;
  readonly hasRung: boolean;
  readonly answeredAt: Date | null;
  readonly isEnded: boolean;
  readonly endedAt: Date | null;
};

type Deps = { legId: string; now: () => Date; emit: (event: LegEvent) => void };

/** `startedAt`: of an inbound leg, which rings from its beginning. */
export function createLegFacts({ legId, now, emit }: Deps, startedAt: Date | null = null): LegFacts {
  let ringingAt = startedAt;
  let isEarlyMedia = false;
  let mediaAt: Date | null = null;
  let answeredAt: Date | null = null;
  let end: { at: Date; cause: EndCause; provider?: ProviderCause } | undefined;

  const emitRinging = (at: Date): void => emit({ type: isEarlyMedia ? 'progress' : 'ringing', legId, at });
  const emitEnd = (): void => {
    if (!end) return;
    const { at, cause, provider } = end;
    emit({ type: 'ended', legId, at, cause, answeredAt, machine: false, ...(provider ? { provider } : {}) });
  };

  return {
    get hasRung() {
      return ringingAt !== null;
    },
    get answeredAt() {
      return answeredAt;
    },
    get isEnded() {
      return end !== undefined;
    },
    get endedAt() {
      return end?.at ?? null;
    },
    ringing(early) {
      if (ringingAt || answeredAt || end) return;
      ringingAt = now();
      isEarlyMedia = early;
      emitRinging(ringingAt);
    },
    media() {
      if (mediaAt || end) return;
      mediaAt = now();
      emit({ type: 'media', legId, at: mediaAt });
    },
    answered(at = now()) {
      if (answeredAt || end) return;
      answeredAt = at;
      emit({ type: 'answered', legId, at });
    },
    ended(cause, provider) {
      if (end) return;
      end = { at: now(), cause, ...(provider ? { provider } : {}) };
      emitEnd();
    },
    keys: (digits) => emit({ type: 'dtmf', legId, at: now(), digits }),
    transferResult: (transferId, ok) => emit({ type: 'transfer_result', legId, at: now(), transferId, ok }),
    replay() {
      if (ringingAt) emitRinging(ringingAt);
      if (answeredAt) emit({ type: 'answered', legId, at: answeredAt });
      if (mediaAt) emit({ type: 'media', legId, at: mediaAt });
      emitEnd();
    },
  };
}
