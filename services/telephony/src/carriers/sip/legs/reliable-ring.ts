import { randomInt } from 'node:crypto';
import type { IncomingRequestMessage, InviteUserAgentServer } from 'sip.js/lib/core/index.js';

/** Timer T1 of RFC 3261: the delay before the first retransmission, which doubles with each further one. */
const T1_MS = 500;
/** Without an acknowledgement (PRACK) in this time the call is refused. */
const GIVE_UP_MS = 64 * T1_MS;
const MAX_RSEQ = 1_000_000;
const CALL_GONE = 481;

/**
 * Responds 180. If the caller requires it, reliably (RFC 3262): repeated until it is acknowledged or the call no longer rings.
 */
export function ring(
  server: InviteUserAgentServer,
  invite: IncomingRequestMessage,
  { isOver, onGivenUp }: { isOver: () => boolean; onGivenUp: () => void },
): void {
  if (!/\b100rel\b/.test(invite.getHeader('require') ?? '')) return void server.progress({ statusCode: 180 });
  const rseq = randomInt(1, MAX_RSEQ);
  let timer: NodeJS.Timeout | undefined;
  let waitedMs = 0;

  const send = (nextMs: number): void => {
    const extraHeaders = ['Require: 100rel', `RSeq: ${rseq}`];
    const { session } = server.progress({ statusCode: 180, extraHeaders });
    session.delegate = {
      onPrack: (request) => {
        const isOurs = rackOf(request.message) === `${rseq} ${invite.cseq} INVITE`;
        if (!isOurs) return void request.reject({ statusCode: CALL_GONE });
        clearTimeout(timer);
        request.accept();
      },
    };
    timer = setTimeout(() => {
      if (isOver()) return;
      waitedMs += nextMs;
      if (waitedMs >= GIVE_UP_MS) onGivenUp();
      else send(Math.min(nextMs * 2, GIVE_UP_MS - waitedMs));
    }, nextMs);
    timer.unref();
  };
  send(T1_MS);
}

function rackOf(message: IncomingRequestMessage): string {
  return (message.getHeader('rack') ?? '').trim().replace(/\s+/g, ' ');
}
