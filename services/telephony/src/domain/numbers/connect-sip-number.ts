import type { BodyOf, connectSipNumber as contract } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import { addNumber, type NumberRequest } from './add-number.ts';
import { checkWebhookUrl } from './check-webhook-url.ts';
import type { NumberDeps } from './deps.ts';

/** Connects a number over SIP trunking (D5.2). The trunk is not asked: it may be set up later. */
export function connectSipNumber(
  deps: NumberDeps,
  request: NumberRequest,
  body: BodyOf<typeof contract>,
): ReturnType<typeof addNumber> {
  checkPort(body.termination_uri);
  checkBothOrNeither(body.sip_trunk_auth_username, body.sip_trunk_auth_password);
  return addNumber(deps, request, {
    ...body,
    provider: 'hosted_sip',
    inboundWebhookUrl: checkWebhookUrl(body.inbound_webhook_url, 'hosted_sip', deps.allowCidrs),
    secrets: {
      termination_uri: body.termination_uri,
      transport: body.transport,
      username: body.sip_trunk_auth_username ?? null,
      password: body.sip_trunk_auth_password ?? null,
    },
  });
}

function checkPort(terminationUri: string): void {
  const port = /:(\d{1,5})$/.exec(terminationUri)?.[1];
  if (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)) return;
  const message = 'termination_uri must have a port of 1-65535';
  throw validationFailed([{ path: 'termination_uri', code: 'invalid_format', message }]);
}

function checkBothOrNeither(username: string | null | undefined, password: string | null | undefined): void {
  if (Boolean(username) === Boolean(password)) return;
  const path = username ? 'sip_trunk_auth_password' : 'sip_trunk_auth_username';
  const message = `${path} is required: a trunk has both a user name and a password, or neither`;
  throw validationFailed([{ path, code: 'required', message }]);
}
