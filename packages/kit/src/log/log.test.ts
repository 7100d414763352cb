import { describe, expect, it } from '@jest/globals';
import { createLogger, type Log } from './index.ts';

function capture(write: (log: Log) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(
    createLogger({
      service: 'gateway',
      level: 'info',
      destination: { write: (line) => void lines.push(line) },
    }),
  );
  return JSON.parse(lines.join(''));
}

describe('createLogger', () => {
  it('writes the given fields and their origin', () => {
    const line = capture((log) => log.child({ requestId: 'r1' }).info({ status: 200 }, 'request'));
    expect(line).toMatchObject({
      level: 'info',
      service: 'gateway',
      requestId: 'r1',
      status: 200,
      msg: 'request',
    });
  });

  it('drops requests, responses and headers', () => {
    const line = capture((log) =>
      log.info({ req: { a: 1 }, res: { a: 1 }, headers: { 'x-api-key': 'k' } }, 'x'),
    );
    expect(line).not.toHaveProperty('req');
    expect(line).not.toHaveProperty('res');
    expect(line).not.toHaveProperty('headers');
  });

  it('masks secrets by name, in any case and at any depth', () => {
    const line = capture((log) =>
      log.info(
        { Authorization: 'hunter2', a: { 'x-api-key': 'hunter2' }, b: [{ password: 'hunter2', n: 1 }] },
        'x',
      ),
    );
    expect(JSON.stringify(line)).not.toContain('hunter2');
    expect(line.b).toEqual([{ password: '[redacted]', n: 1 }]);
  });

  it('reduces an error to what explains it', () => {
    const cause = Object.assign(new Error('amqp://guest:hunter2@host refused'), { code: 'ECONNREFUSED' });
    const err = Object.assign(new Error('key svc_pub_abcdefgh0123456789abcdefghij is bad', { cause }), {
      options: { headers: { authorization: 'Bearer hunter2' } },
    });
    const line = capture((log) => log.error({ err }, 'failed'));
    expect(line.err).toMatchObject({
      type: 'Error',
      message: 'key svc_pub_abcdefgh[redacted] is bad',
      cause: { code: 'ECONNREFUSED', message: 'amqp://guest:[redacted]@host refused' },
    });
    expect(JSON.stringify(line)).not.toContain('hunter2');
  });
});
