import { countSecretsOf, reencryptSecretsOf } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { Reencryption } from '@parley/kit/secrets';

/** Routes of the operator's `parley secrets`. */
export function mountSecrets(app: App, { reencryption }: { reencryption: Reencryption }): void {
  mount(app, reencryptSecretsOf('assistants'), ({ body }) => reencryption.batch(body.cursor));
  mount(app, countSecretsOf('assistants'), () => reencryption.count());
}
