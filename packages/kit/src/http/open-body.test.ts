import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { openJsonBody, openStreamBody } from './open-body.ts';

const PACE = { idleMs: 60_000, intervalMs: 60_000, minBytes: 128 * 1024 };

/** The part of a request that reading its body needs; `stall` emits its socket's timeout. */
function requestThatStalls(headers: IncomingMessage['headers'] = {}) {
  const source = new PassThrough();
  let stall = (): void => {};
  const setTimeout = (_ms: number, fn?: () => void): void => {
    stall = fn ?? stall;
  };
  const req = Object.assign(source, { complete: false, headers, setTimeout }) as unknown as IncomingMessage;
  return { req, source, stall: () => stall() };
}

const late = (message: string) => ({ code: 'REQUEST_TIMEOUT', message });

it('a body that stops arriving is a timeout of the request [general.26]', async () => {
  const { req, stall } = requestThatStalls();
  const { body } = openStreamBody(req, false);
  stall();
  expect((await once(body, 'error'))[0]).toMatchObject(late('The body did not arrive in time'));
});

it('so is a slow one; a body with a slow reader is not', async () => {
  const { req, source } = requestThatStalls();
  const { body } = openStreamBody(req, false, { ...PACE, intervalMs: 20 });
  source.write('x');
  body.resume();
  expect((await once(body, 'error'))[0]).toMatchObject(late('The body arrived too slowly'));

  const patient = requestThatStalls();
  const { body: waiting } = openStreamBody(patient.req, false, { ...PACE, intervalMs: 20 });
  patient.source.write('x'.repeat(100_000));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(waiting.destroyed).toBe(false);
  waiting.destroy();
});

it('a truncated body is a validation error with details [general.7]', async () => {
  const { req, source } = requestThatStalls();
  const { body } = openStreamBody(req, false);
  source.destroy();
  expect((await once(body, 'error'))[0]).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ path: '', code: 'invalid_format', message: 'The body ended too early' }],
  });
});

it('the body of a client that went before it was read ends at once, however much of it had arrived', async () => {
  for (const complete of [false, true]) {
    const { req, source } = requestThatStalls();
    source.write('{');
    req.complete = complete;
    source.destroy();
    await once(source, 'close');
    expect((await once(openJsonBody(req), 'error'))[0]).toMatchObject({ code: 'VALIDATION_FAILED' });
    const { body } = openStreamBody(req, false);
    expect((await once(body, 'error'))[0]).toMatchObject({ code: 'VALIDATION_FAILED' });
  }
}, 5_000);

it.each([{ 'content-encoding': 'gzip' }, { 'content-type': 'text/csv; charset=iso-8859-1' }])(
  'a body that is not plain UTF-8 is refused unread: %p [general.22]',
  (headers) => {
    const { req } = requestThatStalls(headers);
    expect(() => openStreamBody(req, false)).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_MEDIA_TYPE' }),
    );
    expect(req.readableFlowing).toBeNull();
  },
);
