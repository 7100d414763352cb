import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { connectNumber } from './place-call.ts';

const PATH = '/v1/do-not-call';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const add = (of: string, phone_numbers: unknown, headers: Record<string, string> = {}) =>
  harness.ask(of, 'POST', PATH, { body: { phone_numbers }, headers });
const list = (of: string, query = '') => harness.ask(of, 'GET', `${PATH}${query}`);
const remove = (of: string, number: string) => harness.ask(of, 'DELETE', `${PATH}/${number}`);
const numbersOf = (body: Json): string[] => body.data.map((item: Json) => item.phone_number);

describe('POST /v1/do-not-call', () => {
  it('answers 201 {added}: the numbers that were not on the list before [calls.3]', async () => {
    const of = newWorkspace();
    const [a, b, c] = [anyNumber(), anyNumber(), anyNumber()];
    const first = await add(of, [a, b, a]);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({ success: true, data: { added: 2 } });
    expect((await add(of, [b, c])).body.data).toEqual({ added: 1 });
    expect(numbersOf((await list(of)).body).sort()).toEqual([a, b, c].sort());
  });

  it('is a list per workspace', async () => {
    const [of, other] = [newWorkspace(), newWorkspace()];
    const number = anyNumber();
    await add(of, [number]);
    expect((await list(other)).body.data).toEqual([]);
    expect((await add(other, [number])).body.data).toEqual({ added: 1 });
    expect((await remove(other, number)).status).toBe(204);
    expect(numbersOf((await list(of)).body)).toEqual([number]);
  });

  it('accepts 10,000 numbers at once, and the same ones concurrently', async () => {
    const of = newWorkspace();
    const many = Array.from({ length: 10_000 }, (_, i) => `+1212${1_000_000 + i}`);
    const answers = await Promise.all([
      add(of, many),
      add(of, [...many].reverse()),
      add(of, many.slice(5_000)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(answers.reduce((sum, { body }) => sum + body.data.added, 0)).toBe(10_000);
    expect((await list(of)).body.pagination.total).toBe(10_000);
  });

  it.each([
    [undefined, 'phone_numbers', 'required'],
    ['+12025550100', 'phone_numbers', 'invalid_type'],
    [[], 'phone_numbers', 'too_small'],
    [Array.from({ length: 10_001 }, () => '+12025550100'), 'phone_numbers', 'too_big'],
    [['+12025550100', '2025550100'], 'phone_numbers.1', 'invalid_format'],
    [[null], 'phone_numbers.0', 'invalid_type'],
  ])('is 422 and reports the field, and adds nothing: case %#', async (value, path, code) => {
    const of = newWorkspace();
    const { status, body } = await add(of, value);
    expect(status).toBe(422);
    expect(body.error.details).toContainEqual({ path, code, message: expect.any(String) });
    expect((await list(of)).body.data).toEqual([]);
  });

  it('replays the response for a repeated Idempotency-Key [general.20]', async () => {
    const of = newWorkspace();
    const headers = { 'idempotency-key': randomUUID() };
    const number = anyNumber();
    const first = await add(of, [number], headers);
    const second = await add(of, [number], headers);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('GET /v1/do-not-call', () => {
  it('is newest first, and next_cursor leads to each number once', async () => {
    const of = newWorkspace();
    const batches = [
      [anyNumber(), anyNumber(), anyNumber()],
      [anyNumber(), anyNumber()],
    ];
    for (const batch of batches) await add(of, batch);
    const seen: string[] = [];
    for (let offset: string | null = '0'; offset !== null; ) {
      const { body }: Json = await list(of, `?limit=2&offset=${offset}`);
      expect(body.pagination).toMatchObject({ total: 5, count: body.data.length });
      seen.push(...numbersOf(body));
      offset = body.pagination.next_cursor;
    }
    expect(seen.slice(0, 2).sort()).toEqual(batches[1]?.sort());
    expect(seen.slice(2).sort()).toEqual(batches[0]?.sort());
  });

  it('returns when a number was added', async () => {
    const of = newWorkspace();
    const phone_number = anyNumber();
    await add(of, [phone_number]);
    expect((await list(of)).body.data).toEqual([
      { phone_number, created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
    ]);
  });

  it('is 200 with [] past the end [general.13]', async () => {
    const of = newWorkspace();
    await add(of, [anyNumber()]);
    const { status, body } = await list(of, '?offset=7');
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: [], pagination: { total: 1, count: 0, next_cursor: null } });
  });

  it('finds numbers by a part as people write it, and counts those', async () => {
    const of = newWorkspace();
    await add(of, ['+14155550199', '+4930123456', '+4930129', '+3906698']);
    const found = async (search: string) => {
      const { body } = await list(of, `?search=${encodeURIComponent(search)}`);
      expect(body.pagination).toEqual({
        total: body.data.length,
        count: body.data.length,
        next_cursor: null,
      });
      return numbersOf(body).sort();
    };
    expect(await found('+1 (415) 555-0199')).toEqual(['+14155550199']);
    expect(await found('55 01 99')).toEqual(['+14155550199']);
    expect(await found('+49')).toEqual(['+4930123456', '+4930129']);
    expect(await found('0049 30 12 34')).toEqual(['+4930123456']);
    expect(await found('030 12')).toEqual(['+4930123456', '+4930129']);
    expect(await found('06 698')).toEqual(['+3906698']);
    for (const nothing of ['+30', '9999', 'Ada', '%', '_']) expect(await found(nothing)).toEqual([]);
    expect((await list(newWorkspace(), '?search=415')).body.data).toEqual([]);
  });

  it('finds page by page, newest first', async () => {
    const of = newWorkspace();
    const batches = [['+14155550199'], ['+14155550198'], ['+14155550197', '+12125550100']];
    for (const batch of batches) await add(of, batch);
    const first = await list(of, '?search=415555&limit=2');
    expect(numbersOf(first.body)).toEqual(['+14155550197', '+14155550198']);
    expect(first.body.pagination).toEqual({ total: 3, count: 2, next_cursor: '2' });
    expect(numbersOf((await list(of, '?search=415555&limit=2&offset=2')).body)).toEqual(['+14155550199']);
  });

  it('is 422 for an empty search', async () => {
    const { status, body } = await list(newWorkspace(), '?search=');
    expect(status).toBe(422);
    expect(body.error.details[0].path).toBe('search');
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'offset=1.5'])('is 422 for %s', async (query) => {
    const { status, body } = await list(newWorkspace(), `?${query}`);
    expect(status).toBe(422);
    expect(body.error.details[0].path).toBe(query.split('=')[0]);
  });
});

describe('DELETE /v1/do-not-call/{phone_number}', () => {
  it('answers 204, and 404 for a number that is not on the list', async () => {
    const of = newWorkspace();
    const number = anyNumber();
    await add(of, [number]);
    const { status, text } = await remove(of, encodeURIComponent(number));
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect((await remove(of, number)).status).toBe(404);
    expect((await list(of)).body.data).toEqual([]);
  });

  it('is 422 for an invalid phone number', async () => {
    const { status, body } = await remove(newWorkspace(), '12');
    expect(status).toBe(422);
    expect(body.error.details[0].path).toBe('phone_number');
  });
});

describe('POST /v2/call to a number on the list', () => {
  it('is 403 DO_NOT_CALL, and leaves no call behind [calls.1]', async () => {
    const { workspaceId, phoneNumber } = await connectNumber(harness);
    const to_number = anyNumber();
    const call = () =>
      harness.ask(workspaceId, 'POST', '/v2/call', { body: { from_number: phoneNumber, to_number } });
    await add(workspaceId, [to_number]);
    const { status, body } = await call();
    expect(status).toBe(403);
    expect(body).toEqual({ success: false, error: { code: 'DO_NOT_CALL', message: expect.any(String) } });
    expect(
      await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM calls WHERE workspace_id = ${workspaceId}::uuid`,
    ).toEqual([]);
    await remove(workspaceId, to_number);
    expect((await call()).status).toBe(201);
  });

  it('ignores the list of another workspace', async () => {
    const { workspaceId, phoneNumber } = await connectNumber(harness);
    const to_number = anyNumber();
    await add(newWorkspace(), [to_number]);
    const body = { from_number: phoneNumber, to_number };
    expect((await harness.ask(workspaceId, 'POST', '/v2/call', { body })).status).toBe(201);
  });
});

describe('the audit log [trust.17]', () => {
  it('records every change with actor and address, and no complete phone number', async () => {
    const of = newWorkspace();
    const [a, b] = [anyNumber(), anyNumber()];
    const mask = (number: string) =>
      `${number.slice(0, 5)}${'*'.repeat(number.length - 7)}${number.slice(-2)}`;
    await add(of, [a, b]);
    await add(of, [a]);
    await remove(of, a);
    await remove(of, a);
    await eventually(() => {
      const entries = harness.bus
        .received('audit.recorded')
        .filter(({ workspace_id }) => workspace_id === of);
      const actor = { kind: 'key', id: expect.any(String), name: null };
      const rest = { actor, address: null, target: { type: 'do_not_call_list', id: of, name: null } };
      expect(entries.map(({ data }) => data)).toEqual([
        {
          ...rest,
          action: 'do_not_call_list.added',
          changes: { added: { to: 2 }, phone_numbers: { to: [a, b].map(mask) } },
        },
        { ...rest, action: 'do_not_call_list.removed', changes: { phone_numbers: { from: [mask(a)] } } },
      ]);
    });
  });
});
