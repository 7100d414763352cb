import { describe, expect, it } from '@jest/globals';
import { chooseSource, type Machine } from './choose-source.ts';

const no = (why: string) => ({ ok: false as const, why });
const bare: Machine = {
  environment: () => undefined,
  local: async () => no('port'),
  compose: async () => no('engine'),
  installed: () => no('program'),
  apt: () => no('apt'),
};
const neverAsked = () => {
  throw new Error('asked too much');
};

describe('chooseSource [running.6] [running.7]', () => {
  it('prefers the environment, without looking further', async () => {
    const machine = { ...bare, environment: () => 'redis://r', local: neverAsked, compose: neverAsked };
    expect(await chooseSource('redis', machine)).toEqual({ type: 'environment', url: 'redis://r' });
  });

  it('prefers the usual port to Docker', async () => {
    const local = async () => ({ ok: true as const, url: 'postgres://p', version: '15' });
    const machine = { ...bare, local, compose: neverAsked };
    expect(await chooseSource('postgres', machine)).toEqual({
      type: 'local',
      url: 'postgres://p',
      version: '15',
    });
  });

  it('prefers an installed program to the usual port on request, and the environment to both', async () => {
    const machine = { ...bare, local: neverAsked, installed: () => ({ ok: true as const }) };
    expect(await chooseSource('postgres', machine, { preferPrivate: true })).toEqual({ type: 'private' });
    const given = { ...machine, environment: () => 'postgres://p' };
    expect(await chooseSource('postgres', given, { preferPrivate: true })).toEqual({
      type: 'environment',
      url: 'postgres://p',
    });
    const local = async () => ({ ok: true as const, url: 'postgres://p', version: '15' });
    expect(await chooseSource('postgres', { ...bare, local }, { preferPrivate: true })).toEqual({
      type: 'local',
      url: 'postgres://p',
      version: '15',
    });
  });

  it('prefers Docker to an installed program', async () => {
    const machine = { ...bare, compose: async () => ({ ok: true as const }), installed: neverAsked };
    expect(await chooseSource('rabbitmq', machine)).toEqual({ type: 'compose' });
  });

  it('prefers an installed program to installing one', async () => {
    const machine = { ...bare, installed: () => ({ ok: true as const }), apt: neverAsked };
    expect(await chooseSource('rabbitmq', machine)).toEqual({ type: 'private' });
  });

  it('installs if nothing else is left', async () => {
    const machine = { ...bare, apt: () => ({ ok: true as const }) };
    expect(await chooseSource('rabbitmq', machine)).toEqual({ type: 'apt' });
  });

  it('reports why every source has failed', async () => {
    const tried = ['AMQP_URL is not set', 'port', 'engine', 'program', 'apt'];
    expect(await chooseSource('rabbitmq', bare)).toEqual({ type: 'none', tried });
  });

  it('decides separately for each server', async () => {
    const local: Machine['local'] = async (kind) =>
      kind === 'redis' ? { ok: true, url: 'redis://r', version: '7' } : no('port');
    const machine = { ...bare, local, installed: () => ({ ok: true as const }) };
    const sources = await Promise.all([chooseSource('redis', machine), chooseSource('postgres', machine)]);
    expect(sources.map(({ type }) => type)).toEqual(['local', 'private']);
  });
});
