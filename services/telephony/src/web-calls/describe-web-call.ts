import type { describeWebCall as contract, ResponseOf } from '@parley/contracts';
import { type AdmitDeps, admit } from './admit.ts';
import { toState } from './call-state.ts';
import { type IceServerSetting, iceServersFor } from './ice-servers.ts';
import type { WebLines } from './ports.ts';

export type DescribeDeps = AdmitDeps & {
  webLines: Pick<WebLines, 'hasAudio'>;
  iceServers: readonly IceServerSetting[];
  /** Real time, which TURN servers use. */
  nowMs: () => number;
};

/** What a page needs to know before it joins. */
export async function describeWebCall(
  deps: DescribeDeps,
  token: string | undefined,
): Promise<ResponseOf<typeof contract>> {
  const { access, call } = await admit(deps, token);
  const audio = await deps.webLines.hasAudio();
  const ice_servers = audio ? iceServersFor(deps.iceServers, access.callId, deps.nowMs()) : [];
  return { ...toState(call), audio, ice_servers };
}
