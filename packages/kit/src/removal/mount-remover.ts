import { advanceRemovalOf, type RemoverName } from '@parley/contracts';
import { type App, mount } from '../http/index.ts';
import type { Remover } from './create-remover.ts';

/** Mounts the endpoint that the gateway calls until the removal is complete. */
export function mountRemover(app: App, service: Exclude<RemoverName, 'gateway'>, remover: Remover): void {
  mount(app, advanceRemovalOf(service), ({ params, body, auth }) =>
    remover.advance(
      {
        removalId: params.id,
        workspaceId: auth.workspaceId,
        phoneNumber: body.phone_number,
        keepDoNotCall: body.keep_do_not_call,
      },
      body.pass,
    ),
  );
}
