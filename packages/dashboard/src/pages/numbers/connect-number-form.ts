import { numberProblem, plainNumber, terminationProblem } from './checks.ts';

/** How a number is connected: by a SIP trunk, or from an account at a carrier. */
export type Way = 'sip' | 'telco';

export const EMPTY = {
  number: '',
  nickname: '',
  termination: '',
  transport: 'udp' as 'udp' | 'tcp' | 'tls',
  username: '',
  password: '',
  accountSid: '',
  authToken: '',
  inbound: null as string | null,
  outbound: null as string | null,
  maxCps: 1 as number | string,
};

export type NumberForm = typeof EMPTY;

export const withoutSecrets = (form: NumberForm): NumberForm => ({ ...form, password: '', authToken: '' });

/** Whether it has everything that is needed, and nothing that is wrong. */
export function isComplete(form: NumberForm, way: Way): boolean {
  const needed =
    way === 'sip' ? [form.number, form.termination] : [form.number, form.accountSid, form.authToken];
  return (
    needed.every((value) => value.trim() !== '') &&
    numberProblem(form.number) === undefined &&
    (way === 'telco' || terminationProblem(form.termination) === undefined)
  );
}

export function toSip(form: NumberForm) {
  return {
    ...common(form),
    termination_uri: form.termination.trim(),
    transport: form.transport,
    sip_trunk_auth_username: form.username || null,
    sip_trunk_auth_password: form.password || null,
  };
}

export function toTelco(form: NumberForm) {
  return {
    ...common(form),
    telco_account_sid: form.accountSid.trim(),
    telco_auth_token: form.authToken.trim(),
  };
}

function common(form: NumberForm) {
  return {
    phone_number: plainNumber(form.number),
    nickname: form.nickname.trim() === '' ? null : form.nickname.trim(),
    inbound_agent_id: form.inbound,
    outbound_agent_id: form.outbound,
    max_cps: Number(form.maxCps),
  };
}
