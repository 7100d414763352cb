import { countSecretsOf, reencryptSecretsOf } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { Reencryption } from '@parley/kit/secrets';

/** What the operator's `parley secrets` asks. */
export function mountSecrets(app: App, { reencryption }: { reencryption: Reencryption }): void {
  mount(app, reencryptSecretsOf('assistants'), ({ body }) => reencryption.batch(body.cursor));
  mount(app, countSecretsOf('assistants'), () => reencryption.count());
}
