import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { knowledge } from './knowledge.ts';

let service: Harness;
let { add, addDocument, search }: ReturnType<typeof knowledge> = {} as never;
let id: string;
const workspace = newWorkspace();

const DOCUMENTS: [string, string][] = [
  [
    'Opening hours',
    'We are open Monday to Friday from 9 to 5. On Sundays and public holidays we are closed.',
  ],
  [
    'Refund policy',
    'You get your money back within 14 days, if the goods are unused. We refund to the card that was charged.',
  ],
  [
    'Shipping',
    'Parcels leave our warehouse the same day. Delivery to Switzerland takes two days, elsewhere in Europe four.',
  ],
  ['Warranty', 'All devices carry a warranty of two years. Broken screens are not covered.'],
  [
    'Resetting a password',
    'Press “Forgot password” on the login page. A link to choose a new one is sent to your e-mail address.',
  ],
  [
    'Team',
    'Siobhán O’Brien leads support, Jörg Müller sales. Reach Mr Nguyễn at +41 44 123 45 67 or it@example.com.',
  ],
  [
    'Router X-200',
    'To restart the router, hold the button for ten seconds until the light blinks. Error E-17 means no signal.',
  ],
  ['Rechnungen', 'Rechnungen verschicken wir monatlich. Das Büro liegt in Zürich an der Bahnhofstraße 3.'],
  ['Horaires', 'Le magasin est fermé le dimanche. Les factures sont envoyées chaque mois.'],
  ['配送', '東京都内への配送は翌日です。大阪は二日かかります。'],
  ['Оплата', 'Оплатить счёт можно картой или наличными.'],
  ['Monday/Tuesday', 'Special offers & discounts: 20% off <b>everything</b> at the counter.'],
];

beforeAll(async () => {
  service = await startHarness();
  ({ add, addDocument, search } = knowledge(service));
  id = await add(workspace);
  for (const [title, text] of DOCUMENTS) await addDocument(workspace, id, title, text);
});
afterAll(() => service.close());

const titles = (hits: Json[]): string[] => hits.map(({ title }) => title);
const best = async (query: string): Promise<string | undefined> =>
  titles(await search(workspace, id, query))[0];

describe('POST /v1/knowledge-base/{id}/search', () => {
  it('returns the passage with its document, a snippet with the matches between ** and a score', async () => {
    const hits = await search(workspace, id, 'Are you open on Sunday?');
    expect(hits[0]).toEqual({
      document_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      title: 'Opening hours',
      snippet:
        'We are **open** Monday to Friday from 9 to 5. On **Sundays** and public holidays we are closed.',
      score: expect.any(Number),
    });
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
  });

  it.each([
    ['What are your opening hours?', 'Opening hours'],
    ['can I have my money back please', 'Refund policy'],
    ['how long does delivery to Switzerland take', 'Shipping'],
    ['my screen is broken, is that covered by the warranties', 'Warranty'],
    ['I forgot my password and cannot log in', 'Resetting a password'],
    ['router is not working, the light is blinking', 'Router X-200'],
    ['what does error E17 or E-17 mean', 'Router X-200'],
    ['parcel', 'Shipping'],
  ])('finds an answer to %j by words in any inflection', async (query, title) => {
    expect(await best(query)).toBe(title);
  });

  it.each([
    ['siobhan obrien', 'Team'],
    ['Is Mueller or Müller there?', 'Team'],
    ['nguyen', 'Team'],
    ['zurich', 'Rechnungen'],
    ['Wo liegt das Büro?', 'Rechnungen'],
    ['à quelle heure ferme le magasin, fermé dimanche', 'Horaires'],
    ['facture', 'Horaires'],
    ['大阪', '配送'],
    ['東京', '配送'],
    ['как оплатить счет', 'Оплата'],
    ['tuesday', 'Monday/Tuesday'],
    ['0041 44 123', 'Team'],
  ])('finds names and other languages: %j', async (query, title) => {
    expect(await best(query)).toBe(title);
  });

  it('finds a word by its prefix only if no document contains the word itself', async () => {
    expect(await best('Rechnung')).toBe('Rechnungen');
    expect(titles(await search(workspace, id, 'discount'))).toEqual(['Monday/Tuesday']);
    const own = await add(workspace);
    await addDocument(workspace, own, 'One', 'A star in the sky.');
    await addDocument(workspace, own, 'Two', 'The starter motor.');
    expect(titles(await search(workspace, own, 'star'))).toEqual(['One']);
  });

  it('prefers passages with more of the words, with the rarer ones, and with them in the title', async () => {
    const own = await add(workspace);
    for (let i = 0; i < 10; i += 1)
      await addDocument(workspace, own, `Note ${i}`, 'Common words about the weather.');
    await addDocument(workspace, own, 'Both', 'Common words about a gazebo.');
    await addDocument(workspace, own, 'Rare', 'Nothing but a gazebo.');
    await addDocument(workspace, own, 'Gazebo', 'A wooden house in a garden.');
    expect(titles(await search(workspace, own, 'common gazebo')).slice(0, 3)).toEqual([
      'Both',
      'Gazebo',
      'Rare',
    ]);
    expect(titles(await search(workspace, own, 'gazebo'))[0]).toBe('Gazebo');
  });

  it.each(['the', 'what is it, and who are you?', '???', '…', '😀', "'"])(
    'finds nothing for %j, without an error',
    async (query) => {
      expect(await search(workspace, id, query)).toEqual([]);
    },
  );

  it.each([
    "' | & ! ( ) : * \\ < > <-> refund",
    "refund:*A & !money | 'x",
    '{refund} $1 %s "refund',
    "refund'; --",
  ])('treats %j as plain text', async (query) => {
    expect(await best(query)).toBe('Refund policy');
  });

  it('returns 5 hits by default, of which a long document may have several', async () => {
    const own = await add(workspace);
    const page = (n: number): string => `Chapter ${n} of the handbook. ${'More words here. '.repeat(55)}\n\n`;
    const document = await addDocument(
      workspace,
      own,
      'Manual',
      Array.from({ length: 8 }, (_, n) => page(n)).join(''),
    );
    const hits = await search(workspace, own, 'handbook');
    expect(hits.map(({ document_id }) => document_id)).toEqual(Array(5).fill(document));
    expect(await search(workspace, own, 'handbook', 1)).toHaveLength(1);
    expect(await search(workspace, own, 'handbook', 20)).toHaveLength(8);
    expect((await search(workspace, own, 'chapter 6'))[0].snippet).toMatch(/^\*\*Chapter\*\* \*\*6\*\* of/);
  });

  it('finds nothing in an empty knowledge base', async () => {
    expect(await search(workspace, await add(workspace), 'anything')).toEqual([]);
  });

  it('finds nothing in other knowledge bases or in deleted ones', async () => {
    const foreign = newWorkspace();
    const [theirs, ours] = [await add(foreign), await add(workspace)];
    await addDocument(foreign, theirs, 'Secret', 'The zebra is mine.');
    await addDocument(workspace, ours, 'Zebra', 'A zebra has stripes.');
    expect(titles(await search(workspace, ours, 'zebra mine secret'))).toEqual(['Zebra']);
    expect(await search(workspace, id, 'zebra')).toEqual([]);
  });

  it.each([
    [{}, 'query required'],
    [{ query: '' }, 'query too_small'],
    [{ query: '  ' }, 'query too_small'],
    [{ query: 'x'.repeat(1001) }, 'query too_big'],
    [{ query: 'a\0b' }, 'query invalid_format'],
    [{ query: 'x', limit: 0 }, 'limit too_small'],
    [{ query: 'x', limit: 21 }, 'limit too_big'],
    [{ query: 'x', limit: '5' }, 'limit invalid_type'],
  ])('refuses %j', async (body, finding) => {
    expect(findings(await service.post(workspace, `/v1/knowledge-base/${id}/search`, body))).toEqual([
      finding,
    ]);
  });

  it('accepts a query of the maximum length', async () => {
    const query = `refund ${DOCUMENTS.map(([, text]) => text).join(' ')}`.slice(0, 1000);
    expect((await search(workspace, id, query)).length).toBe(5);
    expect(await search(workspace, id, 'x'.repeat(1000))).toEqual([]);
  });
});

describe('a search that matches more passages than are examined', () => {
  const own = newWorkspace();
  let large: string;
  let withBoth: string[];

  beforeAll(async () => {
    large = await add(own);
    // One paragraph makes one passage: 1,900 with one word, 1,900 with the other, 150 with both.
    const paragraph = (words: string, i: number): string =>
      `${words} Number ${i}. ${'Filler goes here. '.repeat(28)}`;
    const document = (title: string, words: string, count: number): Promise<string> =>
      addDocument(
        own,
        large,
        title,
        Array.from({ length: count }, (_, i) => paragraph(words, i)).join('\n\n'),
      );
    await document('First', 'The alpaca.', 1900);
    withBoth = [await document('Middle', 'The alpaca and the badger.', 150)];
    await document('Last', 'The badger.', 1900);
    await addDocument(own, large, 'Badger', 'Nothing else of it here.');
    await addDocument(own, large, 'Alpaca care', 'An alpaca eats hay, says the gamekeeper.');
  }, 30_000);

  it('finds those with all of its words, even if each word is common', async () => {
    const hits = await search(own, large, 'alpaca badger', 20);
    expect(new Set(hits.map(({ document_id }) => document_id))).toEqual(new Set(withBoth));
    expect(hits).toHaveLength(20);
  });

  it('finds those with a common word in their title', async () => {
    expect(titles(await search(own, large, 'badger', 1))).toEqual(['Badger']);
  });

  it('finds the one with a rare word next to a common one', async () => {
    const [first] = await search(own, large, 'alpaca filler gamekeeper');
    expect(first).toMatchObject({
      title: 'Alpaca care',
      snippet: expect.stringMatching(/\*\*gamekeeper\*\*/),
    });
  });
});

describe('POST /internal/knowledge/search', () => {
  const ask = (knowledge_base_ids: string[], query: string, caller = workspace) =>
    service.callAsService(caller, 'POST', '/internal/knowledge/search', { knowledge_base_ids, query });

  it('searches several knowledge bases together and returns whole passages', async () => {
    const other = await add(workspace);
    const text = `${'Filler words. '.repeat(30)}Parking is free for guests.`;
    const document = await addDocument(workspace, other, 'Parking', `\n${text}\n`);
    const { status, body } = await ask(
      [id, other.toUpperCase(), randomUUID()],
      'is parking free, and what of refunds',
    );
    expect(status).toBe(200);
    expect(body.data.map(({ title }: Json) => title)).toEqual(
      expect.arrayContaining(['Parking', 'Refund policy']),
    );
    expect(body.data.find(({ title }: Json) => title === 'Parking')).toEqual({
      knowledge_base_id: other,
      document_id: document,
      title: 'Parking',
      text,
      score: expect.any(Number),
    });
  });

  it('finds nothing in another workspace', async () => {
    const foreign = newWorkspace();
    expect((await ask([id], 'refund', foreign)).body.data).toEqual([]);
    expect((await ask([], 'refund')).body.data).toEqual([]);
    expect((await ask([id], 'refund')).body.data).toHaveLength(1);
  });

  it('accepts the maximum of a hundred knowledge bases, and no more', async () => {
    const bases = await Promise.all(Array.from({ length: 30 }, () => add(workspace)));
    await Promise.all(
      bases.map((base, i) => addDocument(workspace, base, `Base ${i}`, `Unicorn number ${i}.`)),
    );
    const others = Array.from({ length: 70 }, () => randomUUID());
    const { body } = await ask([...bases, ...others], 'unicorn number 17');
    expect(body.data[0]).toMatchObject({ title: 'Base 17', knowledge_base_id: bases[17] });
    expect(findings(await ask([...bases, ...others, id], 'x'))).toEqual(['knowledge_base_ids too_big']);
  });

  it('is closed to clients', async () => {
    const body = { knowledge_base_ids: [id], query: 'refund' };
    expect((await service.post(workspace, '/internal/knowledge/search', body)).status).toBe(403);
  });
});
