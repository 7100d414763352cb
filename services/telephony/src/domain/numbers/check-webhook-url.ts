import { validationFailed } from '@parley/kit/errors';
import { checkUrlSyntax } from '@parley/kit/outbound';
import type { Provider } from './phone-number.ts';

const PATH = 'inbound_webhook_url';

/**
 * The inbound webhook as it is stored: null and the empty string switch it off. It is an https URL (also http where the
 * operator allows the address, D8.5), and only SIP-trunk numbers have one (spec: PUT /v1/phone-number/{id}).
 */
export function checkWebhookUrl(
  url: string | null | undefined,
  provider: Provider,
  allowCidrs: readonly string[],
): string | null {
  if (!url) return null;
  if (provider !== 'hosted_sip') {
    const message = `${PATH} is for numbers that are connected over SIP trunking`;
    throw validationFailed([{ path: PATH, code: 'not_allowed', message }]);
  }
  const problem = checkUrlSyntax(url, { allowHttp: false, allowCidrs });
  if (problem === undefined) return url;
  throw validationFailed([{ path: PATH, code: 'invalid_format', message: `${PATH} ${problem}` }]);
}
