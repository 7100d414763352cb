import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import type { NumberConnection } from '../call-control.ts';
import type { OneLegState } from './legs/leg-state.ts';
import { createLocalCalls } from './local-calls.ts';

const CREDENTIALS = { username: 'alice', password: 'wonderland' };
const hop = { via: 'edge' as const };

const established = (remoteUri: string): OneLegState => ({
  phase: 'established',
  hop,
  user: '1',
  dialog: {
    ...{ callId: 'id', localTag: 'a', remoteTag: 'b', localUri: 'sip:+1@sip.example.com', remoteUri },
    ...{ remoteTarget: remoteUri, routeSet: [], localCseq: 1, remoteCseq: null },
  },
  isSecure: false,
  peers: [],
  answeredAt: new Date(0).toISOString(),
});
const inviting = (uri: string): OneLegState => ({
  phase: 'inviting',
  hop,
  cancel: `CANCEL ${uri} SIP/2.0\r\nTo: <${uri}>\r\n\r\n`,
});

function localCalls(findOwnNumber: () => Promise<{ connection: NumberConnection }>) {
  const unused = {} as never;
  return createLocalCalls({
    ...{ signalling: unused, openMedia: unused, saveState: unused, listeners: unused, metrics: unused },
    ...{ clock: unused, log: createLogger({ service: 'test', level: 'silent' }) },
    findOwnNumber,
  });
}

describe('the credentials for a leg of another worker [sip.4] [sip.14]', () => {
  const connection: NumberConnection = {
    provider: 'hosted_sip',
    ...{ terminationUri: 'SIP.example.com:5080', transport: 'tcp', credentials: CREDENTIALS },
  };
  const { credentialsOf } = localCalls(async () => ({ connection }));

  it('are those of its number, for its trunk and for targets by it alone', async () => {
    expect(await credentialsOf('call')).toEqual(CREDENTIALS);
    for (const of of [established, inviting]) {
      expect(await credentialsOf('call', of('sip:+12025550188@sip.example.com'))).toEqual(CREDENTIALS);
      expect(await credentialsOf('call', of('sip:desk@pbx.example.com'))).toBeNull();
    }
  });

  it('are none if the number is gone', async () => {
    const gone = localCalls(async () => {
      throw new Error('The number of the call has no connection');
    });
    expect(await gone.credentialsOf('call')).toBeNull();
  });
});
