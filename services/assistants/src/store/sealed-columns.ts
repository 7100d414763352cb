import type { SealedColumn } from '@parley/kit/secrets';
import { telcoPlace } from '../domain/tools/telco-account.ts';
import { headersPlace } from '../domain/tools/tool-headers.ts';

const TOOLS = { table: 'tools', key: [{ name: 'id', type: 'uuid' }] } as const;

/** Everything that is stored sealed. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { ...TOOLS, column: 'headers', place: headersPlace },
  { ...TOOLS, column: 'telco_credentials', place: telcoPlace },
];
