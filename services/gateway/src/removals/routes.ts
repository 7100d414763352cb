import * as contract from '@parley/contracts';
import { type App, type ChangedBy, mount } from '@parley/kit/http';
import { createErasure, type ErasureDeps, getErasure, listErasures } from './erasures.ts';

export function mountErasure(app: App, deps: ErasureDeps): void {
  mount(app, contract.createErasure, ({ body, by, idempotency }) =>
    createErasure(
      deps,
      {
        workspaceId: by.workspaceId,
        phoneNumber: body.phone_number,
        keepDoNotCall: body.keep_do_not_call,
        requestedBy: nameOf(by),
        by,
      },
      idempotency,
    ),
  );
  mount(app, contract.getErasure, ({ auth, params }) =>
    getErasure(deps, { workspaceId: auth.workspaceId, id: params.id }),
  );
  mount(app, contract.listErasures, ({ auth, query }) => listErasures(deps, auth.workspaceId, query));
}

function nameOf({ actor }: ChangedBy): string {
  return actor.email ?? `${actor.kind} ${actor.id}`;
}
