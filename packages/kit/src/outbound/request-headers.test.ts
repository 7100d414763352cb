import { expect, it } from '@jest/globals';
import { headersForHop } from './request-headers.ts';

const ours = { 'Content-Type': 'application/json', 'webhook-signature': 'v1,x', Authorization: 'Bearer a' };
const tools = { 'X-Api-Key': 'secret', 'content-type': 'text/plain', Host: 'inner', 'Content-Length': '1' };
const at = (isSameOrigin: boolean) =>
  headersForHop({ headers: ours, originHeaders: tools }, { isSameOrigin, userAgent: 'Parley-Webhooks/1' });

it('sends all to the original origin; our headers take precedence, and framing headers are dropped', () => {
  expect(at(true)).toEqual({
    'user-agent': 'Parley-Webhooks/1',
    'x-api-key': 'secret',
    'content-type': 'application/json',
    'webhook-signature': 'v1,x',
    authorization: 'Bearer a',
    'accept-encoding': 'identity',
  });
});

it('sends neither a tool’s headers nor credentials to another origin', () => {
  expect(at(false)).toEqual({
    'user-agent': 'Parley-Webhooks/1',
    'content-type': 'application/json',
    'webhook-signature': 'v1,x',
    'accept-encoding': 'identity',
  });
});

it('lets the caller set the user agent, but never requests compression', () => {
  const headers = { 'User-Agent': 'mine', 'Accept-Encoding': 'gzip' };
  expect(headersForHop({ headers }, { isSameOrigin: true, userAgent: 'x' })).toEqual({
    'user-agent': 'mine',
    'accept-encoding': 'identity',
  });
});

it('drops internal headers from any source [trust.12]', () => {
  const forged = { 'X-Parley-Internal': 'forged', 'x-parley-anything': 'x', 'x-parleys': 'fine' };
  const sent = headersForHop(
    { headers: forged, originHeaders: forged },
    { isSameOrigin: true, userAgent: 'x' },
  );
  expect(Object.keys(sent)).toEqual(['user-agent', 'x-parleys', 'accept-encoding']);
});
