import { describe, expect, it } from '@jest/globals';
import type { AnyEndpoint } from '@parley/contracts';
import express from 'express';
import request from 'supertest';
import { createEndpointRouter, keepMalformedPaths } from './endpoint-router.ts';
import { contextOf, openContext } from './request-context.ts';

const endpoints = createEndpointRouter();
const app = express().use((req, _res, next) => {
  openContext(req, undefined as never);
  next();
});
app.use(keepMalformedPaths, endpoints.middleware, (req, res) => {
  res.json(contextOf(req).samePath?.map(({ method }) => method) ?? null);
});

const add = (method: string, path: string) =>
  endpoints.add({ method, path } as AnyEndpoint, async ({ params }, res) => {
    res.json([method, path, ...Object.values(params)]);
  });
add('GET', '/v2/call/:id');
add('POST', '/v2/call/:id/stop');
add('POST', '/v2/call/list');
add('GET', '/v1/campaigns/:id/contacts.csv');
add('GET', '/');

const get = async (path: string) => (await request(app).get(path)).body;
const post = async (path: string) => (await request(app).post(path)).body;

describe('createEndpointRouter', () => {
  it.each([
    ['/v2/call/x', ['GET', '/v2/call/:id', 'x']],
    ['/v2/call/x/', ['GET', '/v2/call/:id', 'x']],
    ['/v1/campaigns/a%2Fb/contacts.csv', ['GET', '/v1/campaigns/:id/contacts.csv', 'a/b']],
    ['/v2/call/%zz', ['GET', '/v2/call/:id', '%zz']],
    ['/v2/call/%ff?a=%zz', ['GET', '/v2/call/:id', '%ff']],
    ['/', ['GET', '/']],
  ])('finds %s', async (path, expected) => expect(await get(path)).toEqual(expected));

  it('prefers fixed segments, in any order and for any method', async () => {
    expect(await post('/v2/call/list')).toEqual(['POST', '/v2/call/list']);
    expect(await post('/v2/call/list/stop')).toEqual(['POST', '/v2/call/:id/stop', 'list']);
    expect(await get('/v2/call/list')).toEqual(['POST']);
    expect(await get('/v2/call/list/stop')).toEqual(['POST']);
  });

  it.each(['/v2/call', '/v2/call//', '/v2/call//stop', '/v2/CALL/list', '/v2/call/x/y', '/v2/call/list//'])(
    'finds nothing at %p',
    async (path) => expect(await get(path)).toBeNull(),
  );

  it('finds routes added after the first request', async () => {
    expect(await post('/v1/late')).toBeNull();
    add('POST', '/v1/late');
    expect(await post('/v1/late')).toEqual(['POST', '/v1/late']);
  });

  it('refuses the same route twice', () => {
    expect(() => add('GET', '/v2/call/:other')).toThrow(/twice/);
  });
});
