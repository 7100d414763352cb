import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@parley/testkit';
import { type EdgeSettings, edgeCommand } from '../src/index.ts';
import { CarrierDouble, hasRtpengine, kamailio, startEdge, startRtpengine } from '../src/testing/index.ts';

const run = promisify(execFile);
// Kamailio of Debian, where it is installed.
const installed = kamailio ? describe : describe.skip;

const plain: EdgeSettings = {
  address: '127.0.0.1',
  port: 5060,
  internalAddress: '127.0.0.1',
  internalPort: 5066,
  runFolder: '/tmp',
};
const everything: EdgeSettings = {
  ...plain,
  publicAddress: '203.0.113.7',
  tls: { config: '/etc/kamailio/tls.cfg', port: 5061 },
  sources: ['198.51.100.0/24', '203.0.113.0/24'],
  privateNetworks: ['127.0.0.0/8'],
  rtpengine: 'udp:127.0.0.1:2223',
};

installed("the edge's configuration", () => {
  it.each([
    ['as npm start uses it', plain],
    ['with TLS, rtpengine, further networks and a public address', everything],
  ])('is valid for Kamailio, without a warning, %s', async (_, settings) => {
    const { stdout, stderr } = await run(kamailio ?? '', ['-c', ...edgeCommand(settings)]);
    const output = stdout + stderr;
    expect(output).toContain('config file ok');
    expect(output).not.toMatch(/WARNING|ERROR|CRITICAL/);
  });

  it('exports the metrics that are documented, and those of Kamailio', async () => {
    const docs = await readFile(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
    const config = await readFile(new URL('../kamailio.cfg', import.meta.url), 'utf8');
    const documented = [...docs.matchAll(/^\| `kamailio_(\w+)` \|/gm)].map(([, name]) => name);
    const declared = [...config.matchAll(/"prom_(?:counter|gauge)", "name=(\w+);/g)].map(([, name]) => name);
    expect(documented.sort()).toEqual(declared.sort());

    const [port, internalPort] = [await freePort(), await freePort()];
    const { address, internalAddress } = plain;
    const edge = await startEdge({ address, port, internalAddress, internalPort });
    const stranger = await CarrierDouble.open();
    try {
      const read = async () => (await fetch(`http://${internalAddress}:${internalPort}/metrics`)).text();
      stranger.request('OPTIONS', `sip:${address}:${port}`, { port });
      await eventually(async () =>
        expect(await read()).toMatch(/^kamailio_edge_dropped\{reason="unknown"\} 1 /m),
      );
      const exported = await read();
      for (const name of ['kamailio_edge_workers', 'kamailio_edge_sources', 'kamailio_core_rcv_requests'])
        expect(exported).toMatch(new RegExp(`^${name} \\d`, 'm'));
      for (const [, name] of docs.matchAll(/`(kamailio_(?!edge_|GROUP)\w+)`/g))
        expect(exported).toMatch(new RegExp(`^${name} \\d`, 'm'));
    } finally {
      stranger.close();
      await edge.stop();
    }
  });
});

(hasRtpengine() ? it : it.skip)("rtpengine's check succeeds as long as it responds", async () => {
  const controlPort = await freePort();
  const script = fileURLToPath(new URL('../rtpengine.sh', import.meta.url));
  const env = {
    ...process.env,
    RTPENGINE_ADDRESS: '127.0.0.1',
    RTPENGINE_CONTROL: `127.0.0.1:${controlPort}`,
  };
  const check = () => run('sh', [script, 'check'], { env });
  const rtpengine = await startRtpengine({ controlPort, ports: { min: 47_100, max: 47_199 } });
  try {
    await check();
  } finally {
    await rtpengine.stop();
  }
  await expect(check()).rejects.toThrow();
});
