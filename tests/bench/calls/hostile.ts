import type { Lifecycle } from '@parley/kit/lifecycle';
import { customTool } from '@parley/testkit/fakes';
import { hostileEndpoint } from '@parley/testkit/hostile';
import type { Stage } from './stage.ts';

/** The ending of numbers whose callee makes the assistant use each tool, and the number of concurrent calls. */
const USES_TOOLS = 10;
const CALLS = 50;
const BAR_BYTES = 50 * 1024 * 1024;

/** Additional memory of a worker when the tools of many calls respond with ten megabytes or endlessly. */
export async function hostileTools(stage: Stage, lifecycle: Lifecycle): Promise<boolean> {
  const endpoint = await hostileEndpoint();
  lifecycle.onStop('hostile endpoint', endpoint.close);
  const assistant = (path: string): string =>
    stage.addAssistant([
      customTool({ tool_name: 'lookup', endpoint_url: `${endpoint.url}${path}`, timeout_seconds: 5 }),
    ]);
  const round = async (paths: readonly string[]): Promise<void> => {
    const agents = paths.map(assistant);
    for (let n = 0; n < CALLS; n += 1) stage.dial(agents[n % agents.length] as string, USES_TOOLS);
    const before = stage.bus.ended.size;
    await stage.untilEnded(before + CALLS, 60);
  };
  await round(['/number']);
  const before = await stage.memory.now();
  stage.memory.resetPeak();
  await round(['/10mb', '/endless']);
  const moreBytes = Math.max(0, stage.memory.peak() - before);
  console.log(
    `${CALLS} calls with tools that answer without an end: +${(moreBytes / 1024 / 1024).toFixed(0)} MiB`,
  );
  return moreBytes <= BAR_BYTES && stage.bus.ended.size === 2 * CALLS;
}
