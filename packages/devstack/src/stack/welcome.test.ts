import { describe, expect, it } from '@jest/globals';
import { welcome } from './welcome.ts';

const demo = {
  workspace_id: 'w',
  name: 'demo',
  private_key: 'svc_x',
  public_key: 'svc_pub_x',
  webhook_secret: 'whsec_x',
};

describe('what npm start prints [dashboard.5]', () => {
  const gatewayUrl = 'http://127.0.0.1:8080';
  const facts = { gatewayUrl, demo, tookMs: 1_000, sipPort: undefined };

  it('names the dashboard, with a link that signs in once', () => {
    const text = welcome({ ...facts, signInUrl: `${gatewayUrl}/dashboard/sign-in/link#token` });
    expect(text).toMatch(/dashboard +http:\/\/127\.0\.0\.1:8080\/dashboard\/\n/);
    expect(text).toMatch(/sign in +http:\/\/127\.0\.0\.1:8080\/dashboard\/sign-in\/link#token {2}\(once/);
  });

  it('omits the link if none could be made', () => {
    expect(welcome({ ...facts, signInUrl: undefined })).not.toContain('sign in');
  });
});
