import { campaignStatus } from '@parley/contracts';
import type { CampaignStore } from '../domain/ports.ts';

const HOLD = 'SELECT status FROM campaigns WHERE workspace_id = $1::uuid AND id = $2::uuid FOR UPDATE';
const GROW = `
  UPDATE campaigns SET total_contacts = total_contacts + $2::integer, updated_at = $3::timestamptz,
    last_contact_id = greatest(last_contact_id, $4::uuid)
  WHERE id = $1::uuid RETURNING total_contacts AS total`;

/** Its end and the end of an append come one after the other (D7.6). */
export const holdStatus: CampaignStore['holdStatus'] = async (tx, workspaceId, id) => {
  const [row] = await tx.$queryRawUnsafe<{ status: string }[]>(HOLD, workspaceId, id);
  return row && campaignStatus.parse(row.status);
};

export const grow: CampaignStore['grow'] = async (tx, { id, added, lastId, now }) => {
  const [row] = await tx.$queryRawUnsafe<{ total: number }[]>(GROW, id, added, now.toISOString(), lastId);
  if (!row) throw new Error(`campaign ${id} vanished while it was held`);
  return row.total;
};
