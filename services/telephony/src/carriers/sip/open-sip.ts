import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SqlClient } from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { checkAddress, createHostGuard, parseCidr } from '@parley/kit/outbound';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import type { Config } from '../../config.ts';
import type { NumberStore } from '../../numbers/numbers.store.ts';
import { openConnection, readConnection } from '../../numbers/open-connection.ts';
import { createReadLegState, type SaveLegState } from '../leg-state.store.ts';
import { readOwnNumber } from './own-number.store.ts';
import type { Listener } from './signalling/incoming-connections.ts';
import { createSipCarrier, type SipCarrier } from './sip-carrier.ts';
import type { SipMetrics } from './sip-metrics.ts';
import type { TraceSink } from './trace.ts';
import { trunkOfConnection } from './trunk.ts';

type Deps = {
  config: Config;
  sql: SqlClient;
  numbers: NumberStore;
  secrets: Pick<SecretBox, 'open'>;
  internalUrls: readonly string[];
  workerId: string;
  saveState: SaveLegState;
  maxCalls: number;
  liveCalls: () => number;
  trace: TraceSink;
  metrics: SipMetrics;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
};

/** Legs that ring or are being hung up, in addition to the carried calls. */
const LEGS_BESIDE_CALLS = 50;
const DIGEST_PURPOSE = 'sip digest nonces';

/** The SIP carrier as the operator configured it. Rejects if a file of a certificate cannot be read. */
export async function openSip(deps: Deps): Promise<SipCarrier> {
  const { config, sql, numbers, secrets, workerId, maxCalls, liveCalls, internalUrls, clock, log } = deps;
  const { OUTBOUND_ALLOW_CIDRS: allowCidrs, OUTBOUND_ALLOW_HOSTS: allowHosts } = config;
  const [secret = ''] = config.RECORDING_URL_SECRET;
  const allowed = allowCidrs.map(parseCidr);
  return createSipCarrier({
    settings: {
      workerId,
      edgeUrls: config.SIP_EDGE_URL,
      listeners: await listenersOf(config),
      publicHost: config.SIP_ADDRESS,
      mediaAddress: config.MEDIA_ADDRESS,
      bindAddress: config.HOST,
      rtpPorts: { min: config.RTP_PORT_MIN, max: config.RTP_PORT_MAX },
      codecs: config.SIP_CODECS,
      ca: config.SIP_TLS_CA === undefined ? undefined : [await readFile(config.SIP_TLS_CA, 'utf8')],
      digestSecret: createHmac('sha256', secret).update(DIGEST_PURPOSE).digest('hex'),
      trunkNetworks: config.SIP_TRUNK_NETWORKS.map(({ host, cidr }) => ({ host, network: parseCidr(cidr) })),
      maxLegs: maxCalls + LEGS_BESIDE_CALLS,
    },
    guard: createHostGuard({ allowCidrs, allowHosts, internalUrls }),
    isAllowedAddress: (address) => checkAddress(address, allowed) === undefined,
    findTrunks: async (digits) =>
      (await numbers.sealedByDigits(digits)).flatMap(({ id, secrets: sealed, ...number }) => {
        if (sealed === null) return [];
        const trunk = trunkOfConnection(readConnection(secrets, id, sealed));
        return [{ ...number, numberId: id, trunk }];
      }),
    findOwnNumber: async (callId) => {
      const own = await readOwnNumber(sql, callId);
      return { number: own.ownNumber ?? '', connection: await openConnection({ numbers, secrets }, own) };
    },
    saveState: deps.saveState,
    readState: createReadLegState(sql),
    freeCalls: () => maxCalls - liveCalls(),
    trace: deps.trace,
    metrics: deps.metrics,
    clock,
    log,
    lifecycle: deps.lifecycle,
  });
}

async function listenersOf(config: Config): Promise<Listener[]> {
  const { HOST: host, SIP_PORT, SIP_TLS_PORT, SIP_TLS_CERT, SIP_TLS_KEY } = config;
  const listeners: Listener[] = [];
  if (SIP_PORT !== undefined) listeners.push({ transport: 'tcp', host, port: SIP_PORT });
  if (SIP_TLS_PORT !== undefined && SIP_TLS_CERT && SIP_TLS_KEY) {
    const [cert, key] = await Promise.all([readFile(SIP_TLS_CERT, 'utf8'), readFile(SIP_TLS_KEY, 'utf8')]);
    listeners.push({ transport: 'tls', host, port: SIP_TLS_PORT, cert, key });
  }
  return listeners;
}
