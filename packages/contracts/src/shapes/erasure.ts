import { z } from 'zod';
import { SERVICES } from '../services.ts';
import { isoMillis, uuid } from './primitives.ts';

const place = () => z.string().describe('Type of record, such as `calls`, `recordings` or `contacts`');

const erasureReceipt = z.object({
  service: z.enum(SERVICES).describe('Service that stores the data'),
  status: z.enum(['waiting', 'running', 'completed']).describe('Progress of this service'),
  removed: z
    .array(z.object({ place: place(), count: z.int().describe('Records removed or pseudonymised') }))
    .describe('Records removed so far'),
  kept: z
    .array(
      z.object({
        place: place(),
        count: z.int().describe('Number of records'),
        reason: z.string().describe('Reason'),
      }),
    )
    .describe('Records that intentionally still contain the number'),
});

export const erasure = z
  .object({
    id: uuid.describe('Id of the erasure'),
    status: z
      .enum(['queued', 'running', 'completed'])
      .describe(
        '`completed`: only the records in `kept` still contain the number, and no recording or unfinished file of one is left that does',
      ),
    number_ending: z.string().describe('Last two digits; the number itself is not stored'),
    keep_do_not_call: z.boolean().describe('Whether the number stays on the do-not-call list if it is on it'),
    waiting_for: z
      .string()
      .nullable()
      .describe(
        'What the erasure is waiting for, such as the end of a call in progress, or a recording that is made again without the number; null otherwise',
      ),
    receipt: z.array(erasureReceipt).describe('Result of each service'),
    requested_by: z.string().describe('The key or member that requested it'),
    created_at: isoMillis.describe('Time of the request'),
    completed_at: isoMillis.nullable().describe('Time of completion; null before'),
  })
  .meta({
    id: 'Erasure',
    description: "The erasure of a person's data, by phone number, from a workspace",
  });
