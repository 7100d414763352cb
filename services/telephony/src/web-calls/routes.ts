import {
  CALL_TOKEN_HEADER,
  describeWebCall as describeEndpoint,
  joinWebCall as joinEndpoint,
  leaveWebCall as leaveEndpoint,
  offerWebCall as offerEndpoint,
  readWebCall as readEndpoint,
  sendWebCallMessage as sendMessageEndpoint,
  createWebCall as startEndpoint,
  createWidgetCall as widgetEndpoint,
} from '@parley/contracts';
import { type App, type HandlerInput, mount } from '@parley/kit/http';
import { type AttendDeps, joinWebCall, leaveWebCall, readWebCall, sayInWebCall } from './attend-web-call.ts';
import { type DescribeDeps, describeWebCall } from './describe-web-call.ts';
import { type OfferDeps, offerWebCall } from './offer-web-call.ts';
import { type StartWebCallDeps, startWebCall } from './start-web-call.ts';

type StartInput = Pick<HandlerInput<typeof startEndpoint>, 'auth' | 'idempotency' | 'body'>;

export function mountWebCalls(
  app: App,
  deps: StartWebCallDeps & AttendDeps & DescribeDeps & OfferDeps,
): void {
  const start = ({ auth, idempotency, body }: StartInput) => startWebCall(deps, { auth, idempotency, body });
  mount(app, startEndpoint, start);
  mount(app, widgetEndpoint, start);
  mount(app, describeEndpoint, ({ req }) => describeWebCall(deps, req.get(CALL_TOKEN_HEADER)));
  mount(app, offerEndpoint, ({ req, body }) => offerWebCall(deps, req.get(CALL_TOKEN_HEADER), body));
  mount(app, joinEndpoint, ({ req }) => joinWebCall(deps, req.get(CALL_TOKEN_HEADER)));
  mount(app, sendMessageEndpoint, ({ req, body }) =>
    sayInWebCall(deps, req.get(CALL_TOKEN_HEADER), body.text),
  );
  mount(app, readEndpoint, ({ req, query }) => readWebCall(deps, req.get(CALL_TOKEN_HEADER), query.after));
  mount(app, leaveEndpoint, ({ req }) => leaveWebCall(deps, req.get(CALL_TOKEN_HEADER)));
}
