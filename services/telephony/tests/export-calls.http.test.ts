import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Harness, newWorkspace, startHarness } from './harness.ts';
import { addCalls, newCall } from './raw-calls.ts';
import { LIVE, seedCall } from './seed-call.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const download = async (workspace: string, query: Record<string, string> = {}) => {
  const answer = await harness.ask(workspace, 'GET', `/v2/call/export.csv?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  const [head, ...rows] = answer.text.split('\r\n');
  return { ...answer, head, rows: rows.slice(0, -1) };
};
const idsOf = (rows: string[]) => rows.map((row) => row.slice(0, 36));

describe('GET /v2/call/export.csv', () => {
  it('has the fields of the list, and text of others cannot become a formula [analytics.12]', async () => {
    const workspace = newWorkspace();
    const agent_id = randomUUID();
    await harness.sql
      .$executeRaw`INSERT INTO agents (agent_id, workspace_id, agent_name, version) VALUES (${agent_id}, ${workspace}, '=1+1', 1)`;
    const created_at = new Date('2026-03-14T09:00:00.123Z');
    const call = await seedCall(harness.sql, workspace, {
      ...{ agent_id, created_at, from_number: '@SUM(A1)', to_number: '+14155550199' },
      summary: '=HYPERLINK("https://example.com"),\r\nand more',
    });
    const { head, text, headers } = await download(workspace);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toBe('attachment; filename="calls.csv"');
    expect(head).toBe(
      'id,workspace_id,agent_id,agent_name,call_type,from_number,to_number,status,duration,cost,started_at,answered_at,ended_at,' +
        'disconnection_reason,created_at,updated_at,campaign_id,summary',
    );
    const at = created_at.toISOString();
    expect(text.slice((head?.length ?? 0) + 2)).toBe(
      `${call.id},${workspace},${agent_id},'=1+1,outbound,'@SUM(A1),+14155550199,completed,60,10,${at},${at},${at},user_hangup,` +
        `${at},${at},,"'=HYPERLINK(""https://example.com""),\r\nand more"\r\n`,
    );
  });

  it('streams all calls of the workspace in the order of the list, each once, also those of one moment [analytics.12]', async () => {
    const workspace = newWorkspace();
    const moments = [0, 0, 1, 2].map((day) => Date.parse('2026-03-14T09:00:00Z') + day * 86_400_000);
    const calls = Array.from({ length: 1_203 }, (_, i) => newCall({ createdMs: moments[i % 4] ?? 0 }));
    await addCalls(harness.sql, workspace, calls);
    await seedCall(harness.sql, newWorkspace());
    const { rows } = await download(workspace);
    const wanted = [...calls].sort((a, b) => b.createdMs - a.createdMs || (a.id < b.id ? 1 : -1));
    expect(idsOf(rows)).toEqual(wanted.map(({ id }) => id));
  });

  it('takes the filters of the list, several values with commas, and refuses what the list refuses [analytics.12]', async () => {
    const workspace = newWorkspace();
    const [first, second] = [randomUUID(), randomUUID()];
    const talking = await seedCall(harness.sql, workspace, {
      ...LIVE,
      agent_id: first,
      created_at: new Date(3),
    });
    const long = await seedCall(harness.sql, workspace, {
      agent_id: second,
      duration: 90,
      created_at: new Date(2),
    });
    const busy = await seedCall(harness.sql, workspace, {
      ...{
        call_type: 'inbound',
        created_at: new Date(1),
        disconnection_reason: 'dial_busy',
        duration: 0,
        cost: 0,
      },
    });
    for (const [query, calls] of [
      [{}, [talking, long, busy]],
      [{ agent_ids: `${first},${second}` }, [talking, long]],
      [{ agent_ids: '' }, [talking, long, busy]],
      [{ call_types: 'inbound' }, [busy]],
      [{ disconnection_reasons: 'dial_busy,user_hangup' }, [long, busy]],
      [{ duration_min: '60' }, [long]],
      [{ duration_max: '89.5' }, [busy]],
      [{ cost_min: '1' }, [long]],
      [{ created_after: '1970-01-01T01:00:00.002+01:00' }, [talking, long]],
      [{ from_numbers: String(busy.from_number) }, [busy]],
      [{ to_number: String(long.to_number).slice(1) }, [long]],
      [{ call_id: busy.id }, [busy]],
    ] as const)
      expect([query, idsOf((await download(workspace, query)).rows)]).toEqual([
        query,
        calls.map(({ id }) => id),
      ]);
    const tooMany = Array.from({ length: 101 }, () => first).join(',');
    for (const [query, field] of [
      [{ agent_ids: `${first},x` }, 'agent_ids'],
      [{ agent_ids: tooMany }, 'agent_ids'],
      [{ call_types: 'fax' }, 'call_types'],
      [{ duration_min: '-1' }, 'duration_min'],
      [{ duration_min: '9', duration_max: '8' }, 'duration_min'],
      [{ created_after: '2026-03-14' }, 'created_after'],
    ] as const) {
      const { status, body } = await harness.ask(
        workspace,
        'GET',
        `/v2/call/export.csv?${new URLSearchParams(query)}`,
      );
      expect([query, status, body.error.message]).toEqual([query, 422, expect.stringContaining(field)]);
    }
    const actor = { kind: 'key' as const, id: randomUUID(), scope: { agentIds: [second] } };
    const limited = await harness.ask(workspace, 'GET', '/v2/call/export.csv', { actor });
    expect(limited.text.split('\r\n').slice(1, -1)).toHaveLength(1);
  });
});
