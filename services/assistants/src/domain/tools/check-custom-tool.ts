import { type ErrorDetail, RESERVED_TOOL_NAMES } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import { checkUrlSyntax } from '@parley/kit/outbound';
import type { JsonObject } from '../json-object.ts';
import { checkHeaders } from './check-headers.ts';
import type { Tool } from './tool.ts';

/** A custom tool as a whole, before its headers are sealed. */
export type CustomTool = Pick<
  Tool,
  | 'toolName'
  | 'description'
  | 'endpointUrl'
  | 'httpMethod'
  | 'parameters'
  | 'timeoutSeconds'
  | 'toolBehavior'
  | 'resultScheduling'
> & { headers: JsonObject };

/**
 * Throws `VALIDATION_FAILED` with everything that the contract's shapes can't tell (spec: POST /v1/tool/custom).
 * `inParameters`: what `checkParameters` has found. It takes long, so it is asked before anything is held.
 */
export function checkCustomTool(
  tool: Omit<CustomTool, 'parameters'>,
  allowCidrs: readonly string[],
  inParameters: readonly ErrorDetail[],
): void {
  const details = [
    ...checkName(tool.toolName),
    ...checkEndpoint(tool.endpointUrl, allowCidrs),
    ...checkHeaders(tool.headers),
    ...inParameters,
    ...checkScheduling(tool),
  ];
  if (details.length > 0) throw validationFailed(details.slice(0, MOST_DETAILS));
}

/** More findings than this help nobody. */
const MOST_DETAILS = 100;

function checkName(name: string): ErrorDetail[] {
  if (!RESERVED_TOOL_NAMES.some((reserved) => reserved === name)) return [];
  return [{ path: 'tool_name', code: 'not_allowed', message: `tool_name ${name} is reserved` }];
}

/** Plain http is fine for tools, a literal private address is not (D4.6). */
function checkEndpoint(url: string, allowCidrs: readonly string[]): ErrorDetail[] {
  const problem = checkUrlSyntax(url, { allowHttp: true, allowCidrs });
  return problem === undefined
    ? []
    : [{ path: 'endpoint_url', code: 'invalid_format', message: `endpoint_url ${problem}` }];
}

function checkScheduling({
  toolBehavior,
  resultScheduling,
}: Pick<CustomTool, 'toolBehavior' | 'resultScheduling'>): ErrorDetail[] {
  if (resultScheduling === null || toolBehavior === 'non_blocking') return [];
  const message = 'result_scheduling is for tools whose tool_behavior is non_blocking';
  return [{ path: 'result_scheduling', code: 'not_allowed', message }];
}
