import { randomUUID } from 'node:crypto';
import { newId } from '@parley/kit/ids';

const RUN = 1000;

/** A contact of about 120 bytes of JSON. */
function contact(n: number) {
  return {
    phone_number: `+1${2_000_000_000 + n}`,
    contact_name: `Contact ${n}`,
    custom_data: { plan: n % 2 === 0 ? 'pro' : 'free', account: `A-${n}`, city: 'Rome' },
  };
}

function* runs(count: number): Generator<ReturnType<typeof contact>[]> {
  for (let from = 0; from < count; from += RUN) {
    yield Array.from({ length: Math.min(RUN, count - from) }, (_, i) => contact(from + i));
  }
}

/** The body of the request, in chunks; `fields` are all others than the contacts. */
export function toBody(count: number, fields: object): Buffer[] {
  const pieces = [Buffer.from(`${JSON.stringify(fields).slice(0, -1)},"contacts":[`)];
  let isFirst = true;
  for (const run of runs(count)) {
    pieces.push(Buffer.from(`${isFirst ? '' : ','}${run.map((it) => JSON.stringify(it)).join(',')}`));
    isFirst = false;
  }
  return [...pieces, Buffer.from(']}')];
}

/** Columns of `toLines`. */
export const COPY_COLUMNS = 'campaign_id, id, phone_number, contact_name, custom_data';

/** The same contacts in the format of COPY, of another campaign. */
export function toLines(count: number): Buffer[] {
  const campaignId = randomUUID();
  return [...runs(count)].map((run) =>
    Buffer.from(
      run
        .map(
          ({ phone_number, contact_name, custom_data }) =>
            `${[campaignId, newId(), phone_number, contact_name, JSON.stringify(custom_data)].join('\t')}\n`,
        )
        .join(''),
    ),
  );
}
