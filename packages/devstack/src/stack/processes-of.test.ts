import { describe, expect, it } from '@jest/globals';
import { processesOf } from './processes-of.ts';

describe('processesOf', () => {
  it('is one process for most services', () => {
    const processes = processesOf('webhooks', { PORT: '8084' });
    expect(processes).toEqual([{ name: 'webhooks', main: expect.any(String), env: { PORT: '8084' } }]);
    expect(processes[0]?.main).toMatch(/services\/webhooks\/dist\/main\.bundle\.js$/);
  });

  it('is an API and a worker for telephony, and only the API has the port of the service', () => {
    const processes = processesOf('telephony', { PORT: '8082', HOST: '127.0.0.1' });
    expect(processes.map(({ name, env }) => [name, env.PORT])).toEqual([
      ['telephony', '8082'],
      ['telephony-worker', '0'],
    ]);
  });
});
