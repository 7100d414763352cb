import type { Tool } from '../domain/tools/tool.ts';

export type ToolRow = {
  id: string;
  workspace_id: string;
  agent_id: string;
  tool_name: string;
  description: string | null;
  is_native: boolean;
  endpoint_url: string;
  http_method: Tool['httpMethod'];
  headers: string | null;
  header_names: string[];
  parameters: string | null;
  timeout_seconds: number;
  tool_behavior: Tool['toolBehavior'];
  result_scheduling: Tool['resultScheduling'];
  sms_content_type: Tool['smsContentType'];
  sms_static_message: string | null;
  telco_credentials: string | null;
  telco_from_number: string | null;
  transfer_call_mode: Tool['transferCallMode'];
  transfer_call_destination: string | null;
  transfer_call_type: Tool['transferCallType'];
  created_at: Date;
  updated_at: Date;
};

/** The schema travels as text: drivers would build it by their own parser. */
export const TOOL_COLUMNS = `t.id, t.workspace_id, t.agent_id, t.tool_name, t.description, t.is_native, t.endpoint_url,
  t.http_method, t.headers, t.header_names, t.parameters::text AS parameters, t.timeout_seconds, t.tool_behavior,
  t.result_scheduling, t.sms_content_type, t.sms_static_message, t.telco_credentials, t.telco_from_number,
  t.transfer_call_mode, t.transfer_call_destination, t.transfer_call_type, t.created_at, t.updated_at`;

export function toTool(row: ToolRow): Tool {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    agentId: row.agent_id,
    toolName: row.tool_name,
    description: row.description,
    isNative: row.is_native,
    endpointUrl: row.endpoint_url,
    httpMethod: row.http_method,
    sealedHeaders: row.headers,
    headerNames: row.header_names,
    parameters: row.parameters === null ? null : JSON.parse(row.parameters),
    timeoutSeconds: row.timeout_seconds,
    toolBehavior: row.tool_behavior,
    resultScheduling: row.result_scheduling,
    smsContentType: row.sms_content_type,
    smsStaticMessage: row.sms_static_message,
    sealedTelcoCredentials: row.telco_credentials,
    telcoFromNumber: row.telco_from_number,
    transferCallMode: row.transfer_call_mode,
    transferCallDestination: row.transfer_call_destination,
    transferCallType: row.transfer_call_type,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** In the order of the insert. */
export function insertValues(tool: Tool): unknown[] {
  const { id, workspaceId, agentId, toolName, description, isNative } = tool;
  const instants = [tool.createdAt.toISOString(), tool.updatedAt.toISOString()];
  return [id, workspaceId, agentId, toolName, description, isNative, ...settingValues(tool), ...instants];
}

/** In the order of the update: what never changes is left out. */
export function saveValues(tool: Tool): unknown[] {
  const { workspaceId, id, toolName, description } = tool;
  return [workspaceId, id, toolName, description, ...settingValues(tool), tool.updatedAt.toISOString()];
}

function settingValues(tool: Tool): unknown[] {
  return [
    tool.endpointUrl,
    tool.httpMethod,
    tool.sealedHeaders,
    tool.headerNames,
    tool.parameters === null ? null : JSON.stringify(tool.parameters),
    tool.timeoutSeconds,
    tool.toolBehavior,
    tool.resultScheduling,
    tool.smsContentType,
    tool.smsStaticMessage,
    tool.sealedTelcoCredentials,
    tool.telcoFromNumber,
    tool.transferCallMode,
    tool.transferCallDestination,
    tool.transferCallType,
  ];
}
