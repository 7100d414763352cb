import { streamAssistantTest, testAssistant, testTool } from '@parley/contracts';
import { type App, goneSignal, type HandlerInput, mount } from '@parley/kit/http';
import { streamTestTurn } from './stream-turn.ts';
import { type TestTurnDeps, takeTestTurn } from './take-turn.ts';
import { tryTool } from './try-tool.ts';

export function mountTestTurns(app: App, deps: TestTurnDeps): void {
  mount(app, testAssistant, ({ auth, body, req }) => takeTestTurn(deps, { auth, body }, disconnection(req)));
  mount(app, streamAssistantTest, async ({ auth, body, req }) => ({
    contentType: 'application/x-ndjson',
    body: await streamTestTurn(deps, { auth, body }, disconnection(req)),
  }));
  mount(app, testTool, ({ auth, body, req }) => tryTool(deps, { auth, body }, disconnection(req)));
}

/** Aborts when the client no longer waits. */
function disconnection({ res }: HandlerInput<typeof testAssistant>['req']): AbortSignal {
  return res ? goneSignal(res) : new AbortController().signal;
}
