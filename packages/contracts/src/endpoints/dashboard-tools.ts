import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { offsetPage } from '../shapes/primitives.ts';
import { tool } from '../shapes/tool.ts';

export const listWorkspaceTools = defineEndpoint({
  service: 'assistants',
  access: 'session',
  role: 'viewer',
  tag: 'Dashboard',
  id: 'listWorkspaceTools',
  method: 'GET',
  path: '/dashboard/api/tools',
  query: z.object({
    ...offsetPage(),
    search: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("Case-insensitive part of the name, of the endpoint or of the assistant's name"),
    kind: z.enum(['custom', 'native']).optional().describe('Only tools of this kind'),
  }),
  status: 200,
  envelope: 'list',
  response: tool.extend({ agent_name: z.string().describe('Name of the assistant that owns the tool') }),
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'List the tools of all assistants, newest first',
  description:
    'For the page that shows them together; with a key, tools are listed by assistant (`POST /v1/tool/list`). ' +
    '`next_cursor` is the next offset; an offset past the end returns an empty list.',
});
