import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type EdgeSettings, edgeCommand } from '../src/index.ts';
import { kamailio } from '../src/testing/index.ts';

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
});
