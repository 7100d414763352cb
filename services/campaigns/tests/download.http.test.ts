import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { internalToken } from '@parley/testkit';
import { downloadContacts } from '../src/contacts/download-contacts.ts';
import { createHarness, type Harness, SECRET, soon, WORKSPACE } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
});
afterAll(() => h.close());

const headers = () => ({
  [INTERNAL_TOKEN_HEADER]: internalToken(SECRET, 'campaigns', { workspaceId: WORKSPACE }),
});
const download = async (id: string) => {
  const response = await fetch(`${h.first.url}/v1/campaigns/${id}/contacts.csv`, { headers: headers() });
  return { response, text: await response.text() };
};
const HEADER =
  'id,phone_number,contact_name,custom_data,status,attempts,last_call_id,last_outcome,next_attempt_at';

describe('GET /v1/campaigns/{id}/contacts.csv', () => {
  it('downloads the results: a header row with the fields of the list, custom_data as JSON [campaigns.17]', async () => {
    const id = await h.create({
      contacts: [
        { phone_number: '+12025550001', contact_name: 'Ada', custom_data: { plan: 'pro', n: [1, null] } },
        { phone_number: '+12025550002' },
      ],
      max_retries: 1,
    });
    await h.verb(id, 'resume');
    const dials = await h.dials(id, 2);
    for (const dial of dials) {
      await h.say.ended(dial, dial.to_number.endsWith('1') ? 'user_hangup' : 'dial_busy');
    }
    await soon(async () => expect(await h.contacts(id, '?status=retrying')).toHaveLength(1));
    const { response, text } = await download(id);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="campaign-${id}.csv"`);
    const [first, second] = await h.contacts(id);
    expect(text.split('\r\n')).toEqual([
      HEADER,
      `${first?.id},+12025550001,Ada,"{""plan"":""pro"",""n"":[1,null]}",succeeded,1,${first?.last_call_id},user_hangup,`,
      `${second?.id},+12025550002,,{},retrying,1,${second?.last_call_id},dial_busy,${second?.next_attempt_at}`,
      '',
    ]);
  });

  it('quotes by RFC 4180: commas, quotes and line breaks stay inside their field [campaigns.17]', async () => {
    const contact_name = 'Lovelace, "Ada"\r\n2nd line\nümlaut 🏔';
    const id = await h.create({ contacts: [{ phone_number: '+12025550001', contact_name }] });
    const { text } = await download(id);
    expect(text).toContain(',"Lovelace, ""Ada""\r\n2nd line\nümlaut 🏔",{},pending,0,,,\r\n');
  });

  it.each(['a\rb', 'a\nb'])(
    'quotes by RFC 4180: a lone %j does not end a row [campaigns.17]',
    async (contact_name) => {
      const id = await h.create({ contacts: [{ phone_number: '+12025550001', contact_name }] });
      expect((await download(id)).text).toContain(`,+12025550001,"${contact_name}",{},`);
    },
  );

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])(
    'makes text of a name that a spreadsheet would execute: %j [campaigns.17]',
    async (contact_name) => {
      const id = await h.create({ contacts: [{ phone_number: '+12025550001', contact_name }] });
      const quoted = contact_name.startsWith('\r') ? `"'${contact_name}"` : `'${contact_name}`;
      const { text } = await download(id);
      expect(text).toContain(`,+12025550001,${quoted},{},`);
    },
  );

  it('contains every contact once, in the order of the list, however many [campaigns.17]', async () => {
    const contacts = h.contactsOf(2500);
    const id = await h.create({ contacts });
    const { text } = await download(id);
    const rows = text.trimEnd().split('\r\n').slice(1);
    expect(rows.map((row) => row.split(',')[1])).toEqual(contacts.map(({ phone_number }) => phone_number));
  });

  it('shows contacts that were waiting in a cancelled campaign as cancelled [campaigns.17]', async () => {
    const id = await h.create();
    await h.verb(id, 'cancel');
    expect((await download(id)).text).toContain(',{},cancelled,0,,,\r\n');
  });

  it('reads the next contacts only when the client has received the previous ones [campaigns.17]', async () => {
    const id = await h.create({ contacts: h.contactsOf(2500) });
    const { campaigns, contacts } = h.first.context;
    let batches = 0;
    const every: typeof contacts.every = async function* (campaign) {
      for await (const batch of contacts.every(campaign)) {
        batches += 1;
        yield batch;
      }
    };
    const deps = { campaigns, contacts: { every } };
    const { text } = await downloadContacts(deps, { workspaceId: WORKSPACE, id });
    const seen: number[] = [];
    for await (const part of text) seen.push(batches, part.split('\r\n').length - 1);
    expect(seen).toEqual([0, 1, 1, 1000, 2, 1000, 3, 500]);
  });
});
