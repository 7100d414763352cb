import { type ErrorDetail, RESERVED_TOOL_NAMES } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import { checkUrlSyntax, type OutboundAllowance } from '@parley/kit/outbound';
import type { JsonObject } from '../json-object.ts';
import type { Tool } from './tool.ts';
import { checkHeaders } from './tool-headers.ts';

/** A custom tool before its headers are encrypted. */
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
 * Throws `VALIDATION_FAILED` with all errors that the contract's schema cannot detect [tools.9]. `inParameters` are the
 * errors of its `ParameterCheck`, which is slow and therefore runs before anything is locked.
 */
export function checkCustomTool(
  tool: Omit<CustomTool, 'parameters'>,
  allowed: OutboundAllowance,
  inParameters: readonly ErrorDetail[],
): void {
  const details = [
    ...checkName(tool.toolName),
    ...checkEndpoint(tool.endpointUrl, allowed),
    ...checkHeaders(tool.headers),
    ...inParameters,
    ...checkScheduling(tool),
  ];
  if (details.length > 0) throw validationFailed(details.slice(0, MAX_DETAILS));
}

/** Maximum errors in a response. */
const MAX_DETAILS = 100;

function checkName(name: string): ErrorDetail[] {
  if (!RESERVED_TOOL_NAMES.some((reserved) => reserved === name)) return [];
  return [{ path: 'tool_name', code: 'not_allowed', message: `tool_name ${name} is reserved` }];
}

/** Plain http is allowed for tools, a literal private address is not [tools.19]. */
function checkEndpoint(url: string, allowed: OutboundAllowance): ErrorDetail[] {
  const problem = checkUrlSyntax(url, { ...allowed, allowHttp: true });
  return problem === undefined
    ? []
    : [{ path: 'endpoint_url', code: 'invalid_format', message: `endpoint_url ${problem}` }];
}

function checkScheduling({
  toolBehavior,
  resultScheduling,
}: Pick<CustomTool, 'toolBehavior' | 'resultScheduling'>): ErrorDetail[] {
  if (resultScheduling === null || toolBehavior === 'non_blocking') return [];
  const message = 'result_scheduling requires the tool_behavior non_blocking';
  return [{ path: 'result_scheduling', code: 'not_allowed', message }];
}
