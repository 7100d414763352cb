import { countSecretsOf, reencryptSecretsOf } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { Reencryption } from '@parley/kit/secrets';

/** For `parley secrets`. */
export function mountSecrets(app: App, { reencryption }: { reencryption: Reencryption }): void {
  mount(app, reencryptSecretsOf('gateway'), ({ body }) => reencryption.batch(body.cursor));
  mount(app, countSecretsOf('gateway'), () => reencryption.count());
}
