import { setTimeout as sleep } from 'node:timers/promises';
import { createCampaign, pause, resume } from './campaign.ts';
import type { Stage } from './stage.ts';

const TIMES = 10;
const CPS = 100;
/** How long it dials before each pause, and how long is looked for dials after it. */
const DIALS_MS = 2_000;
const QUIET_MS = 2_000;

export type Pauses = {
  /** Dials a second while it ran. */
  perSecond: number;
  /** By how much the last dial before a resumption came after the answer to the pause, at most; negative: before it. */
  latestMs: number;
};

/** Pauses a campaign that dials as fast as it can, again and again (D7.1). */
export async function measurePauses(stage: Stage): Promise<Pauses> {
  const line = await stage.connectNumber(CPS);
  const id = await createCampaign(stage, line, CPS * TIMES * 4);
  const latest: number[] = [];
  let dials = 0;
  for (let n = 0; n < TIMES; n += 1) {
    const resumedAt = new Date();
    await resume(stage, id);
    await sleep(DIALS_MS);
    await pause(stage, id);
    const answeredMs = Date.now();
    await sleep(QUIET_MS);
    const [row] = await stage.telephonySql.$queryRawUnsafe<{ last: Date | null; count: number }[]>(
      `SELECT max(originated_at) AS last, count(*)::int AS count FROM simulated_legs
       WHERE from_number = $1 AND originated_at > $2::timestamptz`,
      line.phoneNumber,
      resumedAt.toISOString(),
    );
    dials += row?.count ?? 0;
    if (row?.last) latest.push(row.last.getTime() - answeredMs);
  }
  await stage.post('campaigns', `/v1/campaigns/${id}/cancel`);
  return { perSecond: (dials * 1000) / (TIMES * DIALS_MS), latestMs: Math.max(...latest) };
}
