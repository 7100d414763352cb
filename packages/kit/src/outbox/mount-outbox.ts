import {
  discardRefusedMessageOf,
  listRefusedMessagesOf,
  type PublisherName,
  readMessageContentOf,
  readRefusedMessageOf,
  requeueRefusedMessageOf,
} from '@parley/contracts';
import type { SqlClient } from '../db/index.ts';
import { type App, mount } from '../http/index.ts';
import { readContent } from './contents.ts';
import { createRefusedMessages } from './refused-messages.ts';

/** The endpoints of every publisher, for consumers of large messages and for `parley outbox`. */
export function mountOutbox(app: App, service: PublisherName, sql: SqlClient): void {
  const refused = createRefusedMessages(sql);
  mount(app, readMessageContentOf(service), ({ params, auth }) =>
    readContent(sql, auth.workspaceId, params.id),
  );
  mount(app, listRefusedMessagesOf(service), () => refused.list());
  mount(app, readRefusedMessageOf(service), ({ params }) => refused.read(params.id));
  mount(app, requeueRefusedMessageOf(service), ({ params }) => refused.requeue(params.id));
  mount(app, discardRefusedMessageOf(service), ({ params }) => refused.discard(params.id));
}
