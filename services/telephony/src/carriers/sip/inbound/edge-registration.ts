import { randomUUID } from 'node:crypto';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { C, type IncomingResponse } from 'sip.js/lib/core/index.js';
import { EDGE_DOMAIN, REGISTRATION_SECONDS, WORKERS_USER } from '../signalling/edge.ts';
import type { Flow } from '../signalling/flow.ts';
import { createLegCore, type LegCore, toUri } from '../signalling/leg-core.ts';
import type { Signalling } from '../signalling/signalling.ts';

type Deps = {
  signalling: Signalling;
  workerId: string;
  /** The free share of this worker's calls, 0 to 1. */
  freeShare: () => number;
  log: Log;
  lifecycle: Lifecycle;
};

const CHECK_EVERY_MS = 500;
const REFRESH_EVERY_MS = 20_000;
const RETRY_MS = 1_000;
const RESPONSE_TIMEOUT_MS = 4_000;
const STEPS = 20;

/** Tells the edge that this worker takes calls, and how much room it has, until the lifecycle stops. */
export function keepRegistered({ signalling, workerId, freeShare, log, lifecycle }: Deps): void {
  const callId = randomUUID();
  let link: { flow: Flow; legCore: LegCore; unregister: () => void } | undefined;
  let cseq = 0;
  let told: { share: number; atMs: number } | undefined;
  let isStopped = false;
  let isDown = false;

  const open = async (): Promise<NonNullable<typeof link>> => {
    if (link) return link;
    const flow = await signalling.openFlow({ via: 'edge' }, null);
    const legCore = createLegCore({ flow, user: workerId, credentials: () => null });
    const unregister = signalling.router.register(callId, { callId: null, receive: legCore.receive });
    link = { flow, legCore, unregister };
    return link;
  };

  const register = async (share: number): Promise<void> => {
    const { flow, legCore } = await open();
    cseq += 1;
    const expires = share > 0 ? REGISTRATION_SECONDS : 0;
    const contact = `Contact: <${flow.contactUri(workerId)}>;q=${share.toFixed(2)};expires=${expires}`;
    const who = toUri(`sip:${WORKERS_USER}@${EDGE_DOMAIN}`);
    const request = legCore.core.makeOutgoingRequestMessage(
      C.REGISTER,
      toUri(`sip:${EDGE_DOMAIN}`),
      who,
      who,
      { callId, cseq },
      [contact],
    );
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('The edge did not respond')), RESPONSE_TIMEOUT_MS);
      const done = (act: () => void) => (): void => {
        clearTimeout(timer);
        act();
      };
      const refuse = ({ message }: IncomingResponse): void =>
        done(() => reject(new Error(`The edge responded ${message.statusCode}`)))();
      legCore.core.register(request, { onAccept: done(resolve), onReject: refuse, onRedirect: refuse });
    });
  };

  const tick = async (): Promise<void> => {
    const share = isStopped ? 0 : Math.ceil(Math.max(0, freeShare()) * STEPS) / STEPS;
    const isFresh = told && told.share === share && performance.now() - told.atMs < REFRESH_EVERY_MS;
    if (isFresh) return;
    await register(share);
    told = { share, atMs: performance.now() };
    if (isDown) log.info('the SIP edge is back');
    isDown = false;
  };

  const loop = (): void => {
    if (isStopped) return;
    tick().then(
      () => setTimeout(loop, CHECK_EVERY_MS).unref(),
      (err: unknown) => {
        if (!isDown) log.error({ err }, 'the SIP edge cannot be reached: no calls come in by it');
        isDown = true;
        told = undefined;
        setTimeout(loop, RETRY_MS).unref();
      },
    );
  };

  signalling.onClosed(({ transport }) => {
    if (transport === 'ws') told = undefined;
  });
  lifecycle.onStop('registration at the SIP edge', async () => {
    isStopped = true;
    await register(0).catch(() => {});
    link?.unregister();
    link?.flow.close();
  });
  loop();
}
