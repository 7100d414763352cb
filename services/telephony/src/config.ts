import { brokerConfig, cidrList, encryptionKeys, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

export const configSchema = serviceConfig({
  ...brokerConfig,
  /** `http`: routes alone; `worker`: dials and talks, and serves health; `all`: both in one process. */
  TELEPHONY_ROLE: z.enum(['all', 'http', 'worker']).default('all'),
  ENCRYPTION_KEYS: encryptionKeys,
  /** Addresses of clients that may be private, and plain http (D8.5). */
  OUTBOUND_ALLOW_CIDRS: cidrList,
  /** Where the world reaches the platform: links to recordings begin with it. */
  PUBLIC_URL: url,
  /** Links to recordings are signed with it (D6.9), and by a key that is made of it tokens of web calls (D6.2). */
  RECORDING_URL_SECRET: z.string().min(32),
  /** Where recordings are kept: a folder that all processes of the service share. */
  RECORDINGS_DIR: z.string().min(1),
  /** What a longer call says beyond it is not recorded. */
  RECORDING_MAX_SECONDS: z.coerce.number().int().min(1).max(7_200).default(3_600),
  /** Recordings are given up rather than leave less of the disk to everybody else. */
  RECORDINGS_KEEP_FREE_MB: z.coerce.number().int().min(0).default(1_024),
  /** So many days after the end of its call a recording is removed; 0: it is kept for ever. */
  RECORDINGS_KEEP_DAYS: z.coerce.number().int().min(0).max(36_500).default(0),
  /** How recordings of simulated calls sound: `auto` is flite where it is installed. */
  RECORDING_SPEECH: z.enum(['auto', 'tones']).default('auto'),
  /** An endpoint that speaks OpenAI's API, for assistants whose model is of the provider `openai`; either configures it. */
  OPENAI_BASE_URL: url.optional(),
  OPENAI_API_KEY: z.string().optional(),
  /** How long such a model may keep silent before it is asked once more. */
  OPENAI_TIMEOUT_SECONDS: z.coerce.number().min(1).max(60).default(10),
  /** What runs assistants that name no model of that provider. */
  OPENAI_MODEL: z.string().optional(),
  /** So many dials in a row that the carrier failed, whoever was called, open the circuit of a number. */
  CIRCUIT_FAILURES: z.coerce.number().int().min(1).default(30),
  /** How long the campaigns of such a number wait before one is tried (stack time); doubled with each that fails. */
  CIRCUIT_PAUSE_SECONDS: z.coerce.number().min(1).default(15),
  CIRCUIT_LONGEST_PAUSE_SECONDS: z.coerce.number().min(1).default(600),
  ASSISTANTS_URL: url,
  CAMPAIGNS_URL: url,
  GATEWAY_INTERNAL_URL: url,
});

export type Config = Readonly<z.output<typeof configSchema>>;
