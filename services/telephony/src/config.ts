import { isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import {
  brokerConfig,
  cidrList,
  encryptionKeys,
  flag,
  hostList,
  jsonOrFile,
  listItems,
  serviceConfig,
  url,
} from '@parley/kit/config';
import {
  apiKey,
  liveModelList,
  missingAccounts,
  speechAccountVariables,
  speechProviderList,
  takenNames,
} from '@parley/speech/providers';
import { z } from 'zod';
import { CARRIER_NAMES, SIP_CODEC_NAMES } from './carriers/carrier-names.ts';
import { audioCallsOn } from './limits/audio-calls.ts';
import { iceServers } from './web-calls/ice-servers.ts';

const isWebSocketUrl = (value: string): boolean =>
  URL.canParse(value) && /^wss?:$/.test(new URL(value).protocol);

const isOne = (list: typeof hostList | typeof cidrList, value: string): boolean =>
  list.safeParse(value).data?.length === 1;

const port = z.coerce.number().int().min(0).max(65_535);

/** Requests to addresses that clients choose: tools and inbound webhooks. */
const outbound = {
  /** Addresses of clients' servers that may be private or use plain http [webhooks.21]. */
  OUTBOUND_ALLOW_CIDRS: cidrList,
  OUTBOUND_ALLOW_HOSTS: hostList,
};

/** Recordings, the links to them, and where they are stored. */
const recordings = {
  /** The public base URL, used in links to recordings. */
  PUBLIC_URL: url,
  /**
   * Signs links to recordings [calls.12]; a key derived from it signs the tokens of web calls [web-calls.1]. Several, separated by
   * commas: the first signs, all are valid.
   */
  RECORDING_URL_SECRET: z
    .string()
    .transform((value) => value.split(','))
    .pipe(z.array(z.string().min(32))),
  /** The folder of the recordings, shared by all processes of the service; with a bucket, of those that are not stored yet. */
  RECORDINGS_DIR: z.string().min(1),
  /** A bucket of an S3-compatible store for the recordings, instead of the folder. */
  RECORDINGS_S3_BUCKET: z.string().min(3).optional(),
  /** Where the store is; by default AWS. */
  RECORDINGS_S3_ENDPOINT: url.optional(),
  RECORDINGS_S3_REGION: z.string().optional(),
  /** The bucket is in the path of URLs, not in the host name. */
  RECORDINGS_S3_PATH_STYLE: flag.optional(),
  /** Credentials of the store; by default the SDK finds them itself (files, roles of machines and pods). */
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  /** Maximum recording length in seconds. */
  RECORDING_MAX_SECONDS: z.coerce.number().int().min(1).max(7_200).default(3_600),
  /** Free disk space below which no recording is stored. */
  RECORDINGS_KEEP_FREE_MB: z.coerce.number().int().min(0).default(1_024),
  /** Maximum of a workspace's recordings, above which its calls are not recorded; by default there is none [trust.28]. */
  RECORDINGS_MB_PER_WORKSPACE: z.coerce.number().int().min(1).optional(),
  /** Days after the end of a call until its recording is removed; 0: never. */
  RECORDINGS_KEEP_DAYS: z.coerce.number().int().min(0).max(36_500).default(0),
  /** Audio of simulated calls: `auto` is flite if it is installed. */
  RECORDING_SPEECH: z.enum(['auto', 'tones']).default('auto'),
};

/** Carriers, and how SIP trunks reach this service. */
const carriers = {
  /** The carriers, separated by commas; `none`: no calls. By default the simulator, and none in production [running.10]. */
  CARRIERS: z
    .string()
    .refine((value) => listItems(value).length > 0, 'must name carriers, or be none')
    .transform((value) => (value.trim() === 'none' ? [] : listItems(value)))
    .pipe(z.array(z.enum(CARRIER_NAMES)))
    .optional(),
  /** WebSockets of SIP edges, separated by commas; without them workers speak TCP and TLS to trunks themselves [sip.2] [sip.40]. */
  SIP_EDGE_URL: z
    .string()
    .default('')
    .transform(listItems)
    .refine((items) => items.every(isWebSocketUrl), 'must be ws:// or wss:// URLs, separated by commas'),
  /** Networks that trunks at a host, or below it, call from, besides its addresses: `HOST=CIDR`, separated by commas [sip.12]. */
  SIP_TRUNK_NETWORKS: z
    .string()
    .default('')
    .transform((value) =>
      listItems(value).map((item) => {
        const [host = '', cidr = ''] = item.split('=');
        return { host: host.trim().toLowerCase(), cidr: cidr.trim() };
      }),
    )
    .refine(
      (items) => items.every(({ host, cidr }) => isOne(hostList, host) && isOne(cidrList, cidr)),
      'must be HOST=CIDR, separated by commas',
    ),
  /** Ports at which trunks call in without an edge; none by default. */
  SIP_PORT: port.optional(),
  SIP_TLS_PORT: port.optional(),
  /** Files of the certificate and key of SIP_TLS_PORT, and of further authorities of trunks' certificates. */
  SIP_TLS_CERT: z.string().optional(),
  SIP_TLS_KEY: z.string().optional(),
  SIP_TLS_CA: z.string().optional(),
  /** The address at which trunks reach these ports; by default the local one of each connection. */
  SIP_ADDRESS: z.string().min(1).optional(),
  /** The address at which trunks reach the ports of audio; by default the local one of the connection. */
  MEDIA_ADDRESS: z.union([z.ipv4(), z.ipv6()]).optional(),
  RTP_PORT_MIN: port.default(10_000),
  RTP_PORT_MAX: port.default(19_999),
  /** Codecs of SIP calls, best first. */
  SIP_CODECS: z
    .string()
    .default(SIP_CODEC_NAMES.join(','))
    .transform(listItems)
    .pipe(z.array(z.enum(SIP_CODEC_NAMES)).min(1)),
  /** What the lines of simulated calls carry: text, or audio at 8 or 16 kHz [running.11]. */
  SIMULATOR_MEDIA: z.enum(['text', 'narrowband', 'wideband']).default('text'),
};

/** Audio between browsers and workers. */
const webCalls = {
  /** Audio of web calls: `auto` where speech can be recognized and spoken; `off`: text only. */
  WEB_AUDIO: z.enum(['auto', 'off']).default('auto'),
  /** UDP ports for web calls; a worker uses one of them for all of its calls. */
  WEB_UDP_PORTS: z
    .string()
    .regex(/^\d{1,5}-\d{1,5}$/, { error: 'must be a range of ports, such as 21000-21099' })
    .default('21000-21999')
    .transform((value) => value.split('-').map(Number))
    .pipe(z.tuple([z.number().min(1_024), z.number().max(65_535)]))
    .transform(([min, max]) => ({ min, max }))
    .refine(({ min, max }) => min + (min % 2) < max, {
      error: 'must contain an even port and the next one',
    }),
  /** IP addresses at which browsers reach those ports; by default those of this machine. */
  WEB_UDP_ADDRESSES: z
    .string()
    .transform(listItems)
    .pipe(z.array(z.union([z.ipv4(), z.ipv6()])).min(1))
    .optional(),
  /** STUN and TURN servers for browsers, as JSON. */
  WEB_ICE_SERVERS: iceServers,
  /** The base URL at which other processes of the service reach this worker; by default its own address and port. */
  WORKER_URL: url.optional(),
};

const capacity = {
  /** Maximum concurrent calls of a worker whose carrier carries audio, which all run in one thread; by default from the cores of the machine [running.13]. */
  MAX_AUDIO_CALLS: z.coerce
    .number()
    .int()
    .min(1)
    .default(() => audioCallsOn(availableParallelism())),
  /** Maximum concurrent calls of a worker: at this number it neither dials nor answers. */
  MAX_LIVE_CALLS: z.coerce.number().int().min(1).default(2_000),
  /** Maximum phone numbers of a workspace: each trunk is checked all the time. */
  PHONE_NUMBERS_PER_WORKSPACE: z.coerce.number().int().min(1).default(1_000),
};

/** Language models and speech. */
const models = {
  /** An OpenAI-compatible endpoint, for assistants with the provider `openai`; either variable configures it. */
  OPENAI_BASE_URL: url.optional(),
  OPENAI_API_KEY: apiKey.optional(),
  /** Speech providers, as JSON or the path of a JSON file, and their accounts [running.12]. */
  SPEECH_PROVIDERS: jsonOrFile(speechProviderList).optional(),
  /** Models that listen and talk themselves, as JSON or the path of a JSON file [assistants.23]. */
  LIVE_MODELS: jsonOrFile(liveModelList).default([]),
  ...speechAccountVariables,
  /** The time until the request to a silent model is retried. */
  OPENAI_TIMEOUT_SECONDS: z.coerce.number().min(1).max(60).default(10),
  /** The default model of that provider. */
  OPENAI_MODEL: z.string().optional(),
};

/** The circuit of a number, which holds back its campaigns. */
const circuit = {
  /** Consecutive dials failed by the carrier that open a number's circuit. */
  CIRCUIT_FAILURES: z.coerce.number().int().min(1).default(30),
  /** Stack time until a dial is tried through an open circuit; doubled with each failure. */
  CIRCUIT_PAUSE_SECONDS: z.coerce.number().min(1).default(15),
  CIRCUIT_LONGEST_PAUSE_SECONDS: z.coerce.number().min(1).default(600),
};

/** Other services of the platform. */
const services = {
  ASSISTANTS_URL: url,
  CAMPAIGNS_URL: url,
  GATEWAY_INTERNAL_URL: url,
  /** Not called by this service: tools must not reach it [trust.12]. */
  WEBHOOKS_URL: url.optional(),
};

export const configSchema = serviceConfig({
  ...brokerConfig,
  ENCRYPTION_KEYS: encryptionKeys,
  ...outbound,
  ...recordings,
  ...carriers,
  ...webCalls,
  ...capacity,
  ...models,
  ...circuit,
  ...services,
}).superRefine((config, ctx) => {
  if (config.RTP_PORT_MAX <= config.RTP_PORT_MIN)
    ctx.addIssue({ code: 'custom', path: ['RTP_PORT_MAX'], message: 'must be above RTP_PORT_MIN' });
  if (config.SIP_TLS_PORT !== undefined && (!config.SIP_TLS_CERT || !config.SIP_TLS_KEY))
    ctx.addIssue({ code: 'custom', path: ['SIP_TLS_PORT'], message: 'needs SIP_TLS_CERT and SIP_TLS_KEY' });
  if (!isIPv6(config.HOST) && config.WEB_UDP_ADDRESSES?.some(isIPv6))
    ctx.addIssue({
      code: 'custom',
      path: ['WEB_UDP_ADDRESSES'],
      message: `has an IPv6 address, but workers listen on HOST (${config.HOST}), which is IPv4: HOST must be :: or an IPv6 address`,
    });
  for (const [i, message] of missingAccounts(config.SPEECH_PROVIDERS ?? [], config))
    ctx.addIssue({ code: 'custom', path: ['SPEECH_PROVIDERS', i], message });
  for (const [i, message] of takenNames(config.LIVE_MODELS, config.SPEECH_PROVIDERS ?? []))
    ctx.addIssue({ code: 'custom', path: ['LIVE_MODELS', i, 'name'], message });
});

export type Config = Readonly<z.output<typeof configSchema>>;
