import type { SealedColumn } from '@parley/kit/secrets';
import { telcoPlace } from '../tools/telco-account.ts';
import { headersPlace } from '../tools/tool-headers.ts';
import { assistantSecretPlace, toolSecretPlace } from './webhook-secret.ts';

const TOOLS = { table: 'tools', key: [{ name: 'id', type: 'uuid' }] } as const;
const ASSISTANTS = { table: 'assistants', key: [{ name: 'id', type: 'uuid' }] } as const;

/** All sealed columns. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { ...TOOLS, column: 'headers', place: headersPlace },
  { ...TOOLS, column: 'telco_credentials', place: telcoPlace },
  { ...TOOLS, column: 'webhook_secret', place: toolSecretPlace },
  { ...ASSISTANTS, column: 'webhook_secret', place: assistantSecretPlace },
];
