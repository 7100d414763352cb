import { describe, expect, it } from '@jest/globals';
import { checkUrlSyntax } from './index.ts';

const webhook = (url: string, allowCidrs: string[] = []) =>
  checkUrlSyntax(url, { allowHttp: false, allowCidrs });
const tool = (url: string, allowCidrs: string[] = []) => checkUrlSyntax(url, { allowHttp: true, allowCidrs });
const long = (length: number): string => 'https://example.com/'.padEnd(length, 'x');

describe('a webhook URL', () => {
  it.each([
    'https://example.com',
    'HTTPS://Example.COM:8443/hook?a=b#part',
    'https://8.8.8.8/hook',
    'https://[2606:4700:4700::1111]:444/',
    'https://münchen.example/ü',
    'https://example.com./',
    'https://receiver_1:8443/',
    `https://${'a'.repeat(63)}.example.com/`,
    'https://localhost/decided-when-connected-to',
    'https://metadata.google.internal/decided-when-connected-to',
    long(2048),
  ])('may be %s', (url) => {
    expect(webhook(url)).toBeUndefined();
  });

  it('may have other letters also after many checks, which the engine compiles', () => {
    for (let n = 0; n < 50_000; n += 1) webhook('https://example.com');
    const problems = Array.from({ length: 50_000 }, () => webhook('https://münchen.example/ü'));
    expect(problems.find((problem) => problem !== undefined)).toBeUndefined();
  });

  it.each([
    'http://example.com/hook',
    'http://127.0.0.1/',
    'http://localhost:3000/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https:example.com',
    'https:/example.com',
    'https:\\\\example.com',
    'https:///example.com',
    '//example.com/hook',
    '/hook',
    'example.com',
    'native://end_call',
    '',
    ' https://example.com',
  ])('must be https: %p', (url) => {
    expect(webhook(url)).toBe('must be an https:// URL');
  });

  it.each([
    'https://exa mple.com',
    'https://exa\tmple.com',
    'https://example.com/\nx',
    'https://example.com/ ',
    'https://example.com/\u0000',
  ])('has no blanks: %p', (url) => {
    expect(webhook(url)).toBe('must not contain blanks or control characters');
  });

  it.each([
    'https://',
    'https://[::1',
    'https://[fe80::1%25eth0]/',
    'https://a:99999/',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    'https://%zz/',
  ])('is a URL: %p', (url) => {
    expect(webhook(url)).toMatch(/^(is not a valid URL|must be an https:\/\/ URL)$/);
  });

  it.each([
    'https://a..b/',
    'https://.example.com/',
    `https://${'a'.repeat(64)}.example.com/`,
    `https://${'a.'.repeat(127)}com/`,
    'https://{{name}}.example.com/',
    'https://*.example.com/',
    'https://example.com../',
  ])('has a name that can be resolved [webhooks.20]: %s', (url) => {
    expect(webhook(url)).toBe('must have a valid host name');
    expect(tool(url)).toBe('must have a valid host name');
  });

  it('has at most 2,048 characters, no port 0 and no password', () => {
    expect(webhook(long(2049))).toBe('must have at most 2048 characters');
    expect(webhook('https://example.com:0/')).toBe('must not name port 0');
    expect(webhook('https://user:secret@example.com/')).toBe('must not carry a user name or password');
    expect(webhook('https://user@example.com/')).toBe('must not carry a user name or password');
  });

  it.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://127.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0x0.0x0.0x1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://0/',
    'https://0x0/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://127．0．0．1/',
    'https://%31%32%37.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://10.0.0.1/',
    'https://192.168.1.1:8443/x',
    'https://172.16.0.1/',
    'https://169.254.169.254/latest',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://100.64.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
  ])('must have a public address: %s', (url) => {
    expect(webhook(url)).toMatch(/^must lead to a public address/);
  });
});

describe('what the operator allows', () => {
  const loopback = ['127.0.0.0/8'];

  it.each([
    'http://127.0.0.1:9000/hook',
    'https://127.0.0.1/',
    'http://127.1/',
    'http://localhost:9000/',
    'http://LOCALHOST./',
    'http://hooks.localhost/',
  ])('%s', (url) => {
    expect(webhook(url, loopback)).toBeUndefined();
  });

  it.each([
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://8.8.8.8/',
    'http://example.com/',
    'http://localhost.example.com/',
  ])('not %s', (url) => {
    expect(webhook(url, loopback)).toBe('must be an https:// URL');
  });
});

describe('a host that the operator allows by name', () => {
  const check = (url: string) =>
    checkUrlSyntax(url, { allowHttp: false, allowCidrs: [], allowHosts: ['host.docker.internal'] });

  it('may be plain http on any port', () => {
    for (const url of [
      'http://host.docker.internal:3000/hook',
      'http://HOST.docker.internal./',
      'https://host.docker.internal/',
    ]) {
      expect(check(url)).toBeUndefined();
    }
  });

  it.each([
    'http://a.host.docker.internal/',
    'http://docker.internal/',
    'http://host.docker.internal.example.com/',
    'http://example.com/host.docker.internal',
    'http://example.com/?host.docker.internal',
  ])('is not another host: %s', (url) => {
    expect(check(url)).toBe('must be an https:// URL');
  });

  it('must not contain a password, like every URL', () => {
    expect(check('http://u:p@host.docker.internal/')).toBe('must not carry a user name or password');
  });
});

describe('a tool’s URL', () => {
  it('may be plain http to any host', () => {
    for (const url of [
      'http://example.com/x',
      'https://example.com/x',
      'http://localhost/',
      'http://8.8.8.8/',
    ]) {
      expect(tool(url)).toBeUndefined();
    }
  });

  it('is http or https, and has a public address', () => {
    expect(tool('ftp://example.com/')).toBe('must be an https:// or http:// URL');
    expect(tool('http://127.0.0.1/')).toMatch(/^must lead to a public address/);
    expect(tool('http://127.0.0.1/', ['127.0.0.0/8'])).toBeUndefined();
  });
});
