import { testAssistant } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type TestTurnDeps, takeTestTurn } from './take-turn.ts';

export function mountTestTurns(app: App, deps: TestTurnDeps): void {
  mount(app, testAssistant, ({ auth, body, req }) => {
    const closed = new AbortController();
    req.res?.once('close', () => closed.abort(new Error('The client disconnected')));
    return takeTestTurn(deps, { auth, body }, closed.signal);
  });
}
