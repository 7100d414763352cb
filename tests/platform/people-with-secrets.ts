import { randomBytes } from 'node:crypto';
import type { Platform } from '@parley/testkit/stage';
import { createApi } from '@parley/testkit/stage';
import { TOTP } from 'otpauth';
import type { Canaries } from './canaries.ts';

type Deps = { platform: Platform; canaries: Canaries; answers: string[] };
type Sent = { method: string; path: string; body?: object; headers?: Record<string, string> };

/** The secrets that a response returns once on purpose; the response is recorded without them. */
const TOLD = [
  'csrf_token',
  'key',
  'invitation_token',
  'invitation_url',
  'secret',
  'otpauth_uri',
  'recovery_codes',
];

/** People are invited, sign in and make keys, on good ways and on such as end in errors. */
export async function fillWithPeople({ platform, canaries, answers }: Deps): Promise<void> {
  const { request } = createApi(platform.url, '');
  const ask = async ({ method, path, body, headers = {} }: Sent) => {
    const answer = await request(method, `/dashboard/api${path}`, body, { authorization: '', ...headers });
    const { data = {}, ...rest } = answer.body ?? {};
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    for (const set of answer.headers.getSetCookie())
      canaries.know(`cookie ${canaries.count()}`, set.split(';')[0]?.split('=')[1]);
    for (const name of TOLD)
      for (const value of [data[name]].flat()) canaries.know(`${name} ${canaries.count()}`, value);
    const shown = Object.entries(data).filter(([name]) => !TOLD.includes(name));
    const others = [...answer.headers].filter(([name]) => name !== 'set-cookie');
    answers.push(JSON.stringify([answer.status, others, rest, Array.isArray(data) ? data : shown]));
    return { status: answer.status, data, session: { cookie, 'x-csrf-token': String(data.csrf_token) } };
  };

  const { workspace_id } = platform.workspace;
  const email = 'ada@example.org';
  const invite = ['--workspace', workspace_id, '--email', email, '--role', 'owner'];
  const invited = (await platform.parley('member', 'add', ...invite)) as { invitation_token: string };
  const token = invited.invitation_token;
  canaries.know('invitation of the operator', token);
  const password = canaries.add('password');
  await ask({ method: 'POST', path: '/invitations/read', body: { token } });
  await ask({
    method: 'POST',
    path: '/invitations/read',
    body: { token: canaries.add('unknown invitation') },
  });
  const accepted = await ask({ method: 'POST', path: '/invitations/accept', body: { token, password } });
  if (accepted.status !== 201) throw new Error('the invitation could not be accepted');
  await ask({ method: 'POST', path: '/invitations/accept', body: { token, password } });

  const signIn = { method: 'POST', path: '/session' };
  await ask({ ...signIn, body: { email, password: canaries.add('wrong password') } });
  await ask({
    ...signIn,
    body: { email: 'no address', password: canaries.add('password beside no address') },
  });
  await ask({
    ...signIn,
    body: { email, password, workspace_id: canaries.add('password in another field') },
  });
  const { session: headers } = await ask({ ...signIn, body: { email, password } });

  const key = { name: 'a key', type: 'private' };
  for (const path of ['', '/keys', '/members', '/sessions'].map((end) => end || '/session'))
    await ask({ method: 'GET', path, headers });
  for (const body of [key, { ...key, type: 'public' }, { ...key, expires_at: 'never' }])
    await ask({ method: 'POST', path: '/keys', body, headers });
  // Responses that are stored for repetition are sealed.
  const once = { ...headers, 'idempotency-key': 'once' };
  for (let i = 0; i < 2; i += 1) await ask({ method: 'POST', path: '/keys', body: key, headers: once });
  const grace = { email: 'grace@example.org', role: 'viewer' };
  for (let i = 0; i < 2; i += 1) await ask({ method: 'POST', path: '/members', body: grace, headers });

  const forged = { ...headers, 'x-csrf-token': canaries.add('forged CSRF token') };
  await ask({ method: 'POST', path: '/keys', body: key, headers: forged });
  const nobodys = randomBytes(32).toString('base64url');
  canaries.know('cookie of nobody', nobodys);
  await ask({ method: 'GET', path: '/session', headers: { cookie: `parley_session=${nobodys}` } });
  await request('GET', '/v1/voice', undefined, { authorization: '', ...headers });

  const change = (current_password: string, name: string) =>
    ask({
      ...{ method: 'PUT', path: '/password', headers },
      body: { current_password, new_password: name },
    });
  await change(canaries.add('wrong current password'), canaries.add('password that was refused'));
  const next = canaries.add('next password');
  await change(password, next);
  const factor = '/second-factor';
  const shown = { password: canaries.add('password beside a code'), code: canaries.add('code').slice(0, 20) };
  await ask({
    method: 'POST',
    path: factor,
    body: { password: canaries.add('wrong password of a factor') },
    headers,
  });
  const begun = await ask({ method: 'POST', path: factor, body: { password: next }, headers });
  const code = new TOTP({ secret: begun.data.secret }).generate();
  const enabled = await ask({ method: 'POST', path: `${factor}/confirm`, body: { code }, headers });
  const [recovery] = enabled.data.recovery_codes;
  await ask({ method: 'POST', path: `${factor}/disable`, body: shown, headers });
  const challenged = await ask({ ...signIn, body: { email, password: next } });
  const cookie = challenged.session.cookie;
  await ask({ method: 'POST', path: '/session/code', body: { code: shown.code }, headers: { cookie } });
  await ask({ method: 'POST', path: '/session/code', body: { code: recovery }, headers: { cookie } });
  await platform.parley('member', 'reset-totp', '--email', email);
  const reset = (await platform.parley('member', 'reset-password', '--email', email)) as { password: string };
  canaries.know('password of the operator', reset.password);
  await ask({ ...signIn, body: { email, password: reset.password } });
}
