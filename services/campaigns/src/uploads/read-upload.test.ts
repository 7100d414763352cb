import { describe, expect, it } from '@jest/globals';
import type { ContactInput } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { readUpload, type UploadFields } from './read-upload.ts';

type Read = { contacts: ContactInput[]; fields: UploadFields };

/** Reads a body that arrives in chunks of `size` bytes. */
async function read(body: string | Buffer, size = 7): Promise<Read> {
  const bytes = Buffer.from(body);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
  }
  const contacts: ContactInput[] = [];
  const upload = readUpload(chunks());
  for (let next = await upload.next(); ; next = await upload.next()) {
    if (next.done) return { contacts, fields: next.value };
    contacts.push(...next.value);
  }
}

async function failure(body: string | Buffer, size?: number): Promise<AppError> {
  const result = await read(body, size).catch((err: unknown) => err);
  if (!(result instanceof AppError)) throw new Error(`not refused: ${JSON.stringify(result)}`);
  expect(result.code).toBe('VALIDATION_FAILED');
  return result;
}

const CONTACTS = [
  { phone_number: '+14155550101', contact_name: 'Ann "the [first]", {really}' },
  {
    phone_number: '+14155550102',
    custom_data: { city: 'Zürich 🏔', nested: { list: [1, [2, { a: '}]' }]] } },
  },
  { phone_number: '+14155550103', contact_name: 'back\\slash \\" and \u0007', custom_data: {} },
];

describe('readUpload', () => {
  it.each([1, 2, 3, 7, 64, 100_000])('returns the same for chunks of %d bytes', async (size) => {
    const body = {
      campaign_name: 'A, "b": {c}',
      contacts: CONTACTS,
      max_retries: 2,
      business_hours: { a: [1] },
    };
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2)]) {
      const { contacts, fields } = await read(text, size);
      expect(contacts).toEqual(CONTACTS);
      expect(fields).toEqual({ ...body, contacts: [null] });
    }
  });

  it('accepts the keys in any order', async () => {
    const { contacts, fields } = await read(JSON.stringify({ contacts: CONTACTS, agent_id: 'x' }));
    expect(contacts).toHaveLength(3);
    expect(fields.agent_id).toBe('x');
  });

  it('distinguishes an empty array, another type and missing contacts', async () => {
    expect((await read('{"contacts": [ ] }')).fields).toEqual({ contacts: [] });
    expect((await read('{"contacts": {"a": []}}')).fields).toEqual({ contacts: { a: [] } });
    expect((await read('{ }')).fields).toEqual({});
    expect((await read('')).fields).toEqual({});
  });

  it('decodes escapes in keys', async () => {
    expect((await read('{"cont\\u0061cts":[{"phone_number":"+14155550101"}]}')).contacts).toHaveLength(1);
  });

  it('treats __proto__ and similar keys as data', async () => {
    const { contacts, fields } = await read(
      '{"__proto__":{"x":1},"contacts":[{"phone_number":"+14155550101","custom_data":{"__proto__":{"y":2},"constructor":3}}]}',
    );
    expect(Object.keys(fields)).toEqual(['__proto__', 'contacts']);
    expect(JSON.stringify(contacts[0]?.custom_data)).toBe('{"__proto__":{"y":2},"constructor":3}');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('uses the last of repeated fields', async () => {
    expect((await read('{"a":1,"a":2}')).fields).toEqual({ a: 2 });
  });

  it.each(['{"contacts":[],"contacts":[]}', '{"contacts":[],"contacts":1}', '{"contacts":1,"contacts":[]}'])(
    'refuses repeated contacts: %s',
    async (body) => {
      expect((await failure(body)).details).toMatchObject([{ path: 'contacts', code: 'not_allowed' }]);
    },
  );

  it.each([
    [
      '{"contacts":[{"phone_number":"+14155550101"},{"phone_number":"0"}]}',
      'contacts.1.phone_number',
      'invalid_format',
    ],
    ['{"contacts":[{"phone_number":"+14155550101"},{}]}', 'contacts.1.phone_number', 'required'],
    ['{"contacts":[{"phone_number":"+14155550101"},7]}', 'contacts.1', 'invalid_type'],
    ['{"contacts":[null]}', 'contacts.0', 'invalid_type'],
    [
      '{"contacts":[{"phone_number":"+14155550101","custom_data":[]}]}',
      'contacts.0.custom_data',
      'invalid_type',
    ],
    [
      '{"contacts":[{"phone_number":"+14155550101","contact_name":"\\u0000"}]}',
      'contacts.0.contact_name',
      'invalid_format',
    ],
    [
      '{"contacts":[{"phone_number":"+14155550101","custom_data":{"a":["\\ud800"]}}]}',
      'contacts.0.custom_data.a.0',
      'invalid_format',
    ],
  ])('reports the contact of %s', async (body, path, code) => {
    for (const size of [1, 1000]) {
      const { details, message } = await failure(body, size);
      expect(details?.[0]).toMatchObject({ path, code });
      expect(message).toContain(path);
    }
  });

  it('reports the right index among many', async () => {
    const many = Array.from({ length: 5000 }, () => '{"phone_number":"+14155550101"}');
    many[4321] = '{"phone_number":"nobody"}';
    const { details } = await failure(`{"contacts":[${many.join(',')}]}`, 65_536);
    expect(details).toMatchObject([{ path: 'contacts.4321.phone_number' }]);
  });

  it.each([
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '{,}',
    '{"a":1]',
    '{"a":[1}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{"a":"b":2}',
    '{1:2}',
    '{[1]:2}',
    '{"a":1}}',
    '{"a":1} x',
    '{"a":1}{}',
    '{"a":nul}',
    "{'a':1}",
    '{"a":"\n"}',
    '{"contacts":[',
    '{"contacts":[1',
    '{"contacts":[{"phone_number":"+14155550101"},]}',
    '{"contacts":[,{"phone_number":"+14155550101"}]}',
    '{"contacts":[{"phone_number":"+14155550101"},,{"phone_number":"+14155550101"}]}',
    '{"contacts":[{"phone_number":"+14155550101"} {"phone_number":"+14155550101"}]}',
    '{"contacts":[{"phone_number":"+14155550101"}}',
    '{"contacts":[{"phone_number":"+14155550101"}] 1}',
    '{"contacts":[{"phone_number":"+14155550101"}][]}',
    '{"contacts":x[]}',
    '{"contacts":[]',
    '{"contacts":["]}',
  ])('refuses what is not JSON: %s', async (body) => {
    for (const size of [1, 1000]) {
      const { details } = await failure(body, size);
      expect(['invalid_format', 'invalid_type']).toContain(details?.[0]?.code);
    }
  });

  it.each(['[]', '[{"a":1}]', '1', '"a"', 'null', ' ', 'x'])(
    'refuses what is not an object: %s',
    async (body) => {
      expect((await failure(body)).details).toMatchObject([{ path: '', code: 'invalid_type' }]);
    },
  );

  it('refuses bytes that are not UTF-8', async () => {
    const body = Buffer.from(
      '{"contacts":[{"phone_number":"+14155550101","contact_name":"\xff"}]}',
      'latin1',
    );
    await failure(body, 1000);
    await failure(Buffer.from('{"\xff":1}', 'latin1'));
  });

  it('limits depth, and the size of a contact and of a field', async () => {
    const deep = '['.repeat(200) + ']'.repeat(200);
    await failure(`{"contacts":[{"phone_number":"+14155550101","custom_data":{"a":${deep}}}]}`, 65_536);
    await failure(`{"a":${'['.repeat(1_000_000)}`, 65_536);
    const large = `{"phone_number":"+14155550101","custom_data":{"a":"${'x'.repeat(300_000)}"}}`;
    const one = '{"phone_number":"+14155550101"}';
    for (const size of [65_536, 10_000_000]) {
      const { details } = await failure(`{"contacts":[${one},${large},${one}]}`, size);
      expect(details).toMatchObject([{ path: 'contacts.1', code: 'too_big' }]);
    }
    await failure(`{"a":"${'x'.repeat(2_000_000)}"}`, 65_536);
    const zeros = `[${'0,'.repeat(50_000)}0]`;
    expect((await failure(`{"retry_intervals":${zeros}}`, 65_536)).message).toContain('50,000 values');
    const half = `[${'0,'.repeat(30_000)}0]`;
    expect((await failure(`{"a":${half},"b":${half}}`, 65_536)).message).toContain('50,000 values');
  });

  it('limits the total size of all other fields, which are kept in memory until the body ends', async () => {
    async function* endless() {
      yield Buffer.from('{');
      // Each field ends with its chunk, so that nothing is ever carried over.
      for (let at = 0; at < 100; at += 1)
        yield Buffer.from(`"${String(at).padStart(4, '0')}":"${'x'.repeat(16 * 1024 - 10)}",`);
      throw new Error('read on');
    }
    const result = readUpload(endless()).next();
    await expect(result).rejects.toMatchObject({ details: [{ code: 'too_big' }] });
  });

  it.each(['ECONNRESET', 'ERR_STREAM_DESTROYED', 'EPIPE'])(
    'a body that breaks off with %s is a client error, not an outage',
    async (code) => {
      async function* broken() {
        yield Buffer.from('{"contacts":[{"phone_number":"+14155550101"},');
        throw Object.assign(new Error('lost'), { code });
      }
      const upload = readUpload(broken());
      await upload.next();
      const message = 'The body could not be read to its end';
      await expect(upload.next()).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ message }],
      });
    },
  );
});
