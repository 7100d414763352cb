import { fileURLToPath } from 'node:url';

export type EdgeSettings = {
  /** The listener for carriers, UDP and TCP. */
  address: string;
  port: number;
  /** The listener for workers: WebSocket and HTTP. */
  internalAddress: string;
  internalPort: number;
  /** Where carriers reach it, if that is another address. */
  publicAddress?: string;
  /** The file of Kamailio's `tls` module. */
  tls?: { config: string; port: number };
  /** Networks that may call in besides the addresses of trunks, as CIDR. */
  sources?: readonly string[];
  /** Private networks that requests may leave for, as CIDR. */
  privateNetworks?: readonly string[];
  /** The control socket of rtpengine. */
  rtpengine?: string;
  /** Requests within two seconds that make an unknown address a flood. */
  unknownDensity?: number;
  /** Requests outside of calls within two seconds that an address of a trunk may send. */
  trunkDensity?: number;
  /** Kamailio's level: 1 is warnings, 3 is everything. */
  logLevel?: number;
  /** The folder of Kamailio's sockets and pid file. */
  runFolder: string;
};

/** Kamailio's configuration. */
const EDGE_CONFIG = fileURLToPath(new URL('../kamailio.cfg', import.meta.url));

/** Kamailio's command line without the program, in the foreground; `edge.sh` makes the same of the environment. */
export function edgeCommand(settings: EdgeSettings): string[] {
  const { tls, rtpengine, publicAddress, sources = [], privateNetworks = [] } = settings;
  return [
    ...['-DD', '-E', '-f', EDGE_CONFIG, '-Y', settings.runFolder, '-m', '64', '-M', '8'],
    ...define('EDGE_LOG_LEVEL', settings.logLevel ?? 1),
    ...define('EDGE_ADDRESS', settings.address),
    ...define('EDGE_PORT', settings.port),
    ...define('EDGE_INTERNAL_ADDRESS', settings.internalAddress),
    ...define('EDGE_INTERNAL_PORT', settings.internalPort),
    ...define('EDGE_UNKNOWN_DENSITY', settings.unknownDensity ?? 20),
    ...define('EDGE_MAX_REFUSED', 10),
    ...define('EDGE_TRUNK_DENSITY', settings.trunkDensity ?? 400),
    ...(publicAddress ? ['-A', 'WITH_ADVERTISE', ...define('EDGE_PUBLIC_ADDRESS', publicAddress)] : []),
    ...(tls
      ? ['-A', 'WITH_TLS', ...define('EDGE_TLS_CONFIG', tls.config), ...define('EDGE_TLS_PORT', tls.port)]
      : []),
    ...(sources.length > 0 ? ['-A', 'WITH_SOURCES', ...define('EDGE_SOURCES', sources.join(','))] : []),
    ...(privateNetworks.length > 0
      ? ['-A', 'WITH_PRIVATE', ...define('EDGE_PRIVATE', privateNetworks.join(','))]
      : []),
    ...(rtpengine ? ['-A', 'WITH_RTPENGINE', ...define('EDGE_RTPENGINE', rtpengine)] : []),
  ];
}

function define(name: string, value: string | number): string[] {
  return ['--substdef', `!${name}!${value}!g`];
}
