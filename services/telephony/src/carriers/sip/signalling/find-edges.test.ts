import { describe, expect, it } from '@jest/globals';
import { createFindEdges } from './find-edges.ts';

const named = (addresses: Record<string, string[]>) => async (name: string) =>
  (addresses[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('the edges of SIP_EDGE_URL [sip.40]', () => {
  it('are all addresses of all names, each once', async () => {
    const lookup = named({ edge: ['10.0.0.2', '10.0.0.1', 'fd00::1'], other: ['10.0.0.1'] });
    const find = createFindEdges(['ws://edge:5066', 'ws://192.0.2.7:5066/', 'wss://other'], lookup);
    expect(await find()).toEqual([
      { url: 'ws://10.0.0.1:5066', name: 'edge' },
      { url: 'ws://10.0.0.2:5066', name: 'edge' },
      { url: 'ws://192.0.2.7:5066', name: '192.0.2.7' },
      { url: 'ws://[fd00::1]:5066', name: 'edge' },
      { url: 'wss://10.0.0.1', name: 'other' },
    ]);
  });

  it('are none where none is configured, or none can be found', async () => {
    expect(await createFindEdges([])()).toEqual([]);
    const fails = createFindEdges(['ws://edge:5066'], () => Promise.reject(new Error('no DNS')));
    expect(await fails()).toEqual([]);
  });
});
