import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { goneSignal, isClientGone } from './client-gone.ts';

it('aborts when the client disconnects, and at once if it has done so already', () => {
  const responseOf = (closed: boolean) =>
    Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse;
  const open = responseOf(false);
  const signal = goneSignal(open);
  expect(signal.aborted).toBe(false);
  open.emit('close');
  expect(signal.reason).toMatchObject({ code: 'BAD_REQUEST' });
  expect(isClientGone(signal.reason)).toBe(true);
  expect(goneSignal(responseOf(true)).aborted).toBe(true);
});
