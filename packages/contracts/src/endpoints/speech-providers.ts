import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

/** What the configured providers of speech can do now; the operator's order. */
export const listSpeechProviders = defineEndpoint({
  access: 'internal',
  tag: 'Internal',
  envelope: 'data',
  status: 200,
  errors: [],
  service: 'telephony',
  id: 'listSpeechProviders',
  method: 'GET',
  path: '/internal/speech-providers',
  response: z.array(
    z.object({
      name: z.string(),
      speaks: z.boolean(),
      recognises: z.boolean(),
      /** The languages that it speaks, without regions (`en`); missing: any. */
      languages: z.array(z.string()).optional(),
    }),
  ),
  summary: 'List the speech providers with what they can do now',
});
