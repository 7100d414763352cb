import { describe, expect, it } from '@jest/globals';
import { NoRouteError } from '../signalling/find-route.ts';
import { textOf } from './open-route.ts';

const systemError = (code: string, text: string): Error => Object.assign(new Error(text), { code });

describe('why a call did not leave, in its timeline [sip.7]', () => {
  it.each([
    [systemError('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.7:5066'), 'The trunk could not be reached'],
    [systemError('EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.7:5066'), 'The trunk could not be reached'],
    [systemError('ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.7:5066'), 'The trunk did not respond in time'],
    [systemError('EAI_AGAIN', 'getaddrinfo EAI_AGAIN a.internal'), 'The trunk could not be reached'],
  ])('has no address of a network: %s', (err, text) => {
    expect(textOf(err)).toBe(text);
  });

  it('has what is wrong with the certificate, and what this system says itself', () => {
    const expired = systemError('CERT_HAS_EXPIRED', 'certificate has expired');
    expect(textOf(expired)).toBe('certificate has expired');
    expect(textOf(systemError('ERR_TLS_CERT_ALTNAME_INVALID', 'altnames'))).toBe('altnames');
    expect(textOf(new NoRouteError('The host is wrong', false))).toBe('The host is wrong');
  });
});
