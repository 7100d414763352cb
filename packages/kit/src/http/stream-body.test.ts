import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { openStreamBody } from './stream-body.ts';

/** A request as far as its body is read; `stall` is what its socket does after a minute of silence. */
function requestThatStalls() {
  const source = new PassThrough();
  let stall = (): void => {};
  const setTimeout = (_ms: number, fn?: () => void): void => {
    stall = fn ?? stall;
  };
  const req = Object.assign(source, {
    complete: false,
    headers: {},
    setTimeout,
  }) as unknown as IncomingMessage;
  return { req, source, stall: () => stall() };
}

const finding = (message: string) => ({
  code: 'VALIDATION_FAILED',
  details: [{ path: '', code: 'invalid_format', message }],
});

it('a body that stops arriving is a validation error with details [general.7]', async () => {
  const { req, stall } = requestThatStalls();
  const { body } = openStreamBody(req, false);
  stall();
  expect((await once(body, 'error'))[0]).toMatchObject(finding('The body stopped arriving'));
});

it('and so is one that is cut', async () => {
  const { req, source } = requestThatStalls();
  const { body } = openStreamBody(req, false);
  source.destroy();
  expect((await once(body, 'error'))[0]).toMatchObject(finding('The body ended too early'));
});

it('and so is one that drips; one whose reader is behind is waited for', async () => {
  const { req, source } = requestThatStalls();
  const { body } = openStreamBody(req, false, 20);
  source.write('x');
  body.resume();
  expect((await once(body, 'error'))[0]).toMatchObject(finding('The body arrived too slowly'));

  const patient = requestThatStalls();
  const { body: waiting } = openStreamBody(patient.req, false, 20);
  patient.source.write('x'.repeat(100_000));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(waiting.destroyed).toBe(false);
  waiting.destroy();
});
