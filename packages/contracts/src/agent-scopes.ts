import type { AnyEndpoint } from './endpoint.ts';

/**
 * How an endpoint treats a private key that is restricted by `agent_ids` [trust.9].
 *
 * - `assistant`, `tool`, `call`, `campaign`: the `id` in the path must belong to one of the key's assistants; another one is
 *   answered like an id that does not exist.
 * - `filtered`: the handler enforces the restriction: lists are filtered, and another assistant in a body reads as missing.
 * - `free`: not restricted (voices, knowledge bases, numbers).
 * - `refused`: affects the whole workspace: `403 FORBIDDEN`.
 */
export type AgentScope = 'assistant' | 'tool' | 'call' | 'campaign' | 'filtered' | 'free' | 'refused';

/** Scope of every endpoint that accepts private keys, by endpoint id. A missing one is refused, and fails a test. */
export const AGENT_SCOPES: Readonly<Record<string, AgentScope>> = {
  // A new assistant would not be in the key's `agent_ids`.
  createAssistant: 'refused',
  getAssistant: 'assistant',
  patchAssistant: 'assistant',
  replaceAssistant: 'assistant',
  deleteAssistant: 'assistant',
  listAssistants: 'filtered',
  listVoices: 'free',
  testAssistant: 'filtered',
  streamAssistantTest: 'filtered',
  testTool: 'filtered',
  listModels: 'free',
  listTranscribers: 'free',

  createCustomTool: 'filtered',
  createNativeTool: 'filtered',
  getTool: 'tool',
  updateCustomTool: 'tool',
  updateNativeTool: 'tool',
  deleteTool: 'tool',
  listTools: 'filtered',
  // The tools of other assistants, too.
  listWorkspaceTools: 'refused',

  // Knowledge bases are shared by all assistants: readable, but a change would affect other assistants.
  createKnowledgeBase: 'refused',
  listKnowledgeBases: 'free',
  getKnowledgeBase: 'free',
  deleteKnowledgeBase: 'refused',
  addDocument: 'refused',
  listDocuments: 'free',
  getDocument: 'free',
  deleteDocument: 'refused',
  searchKnowledgeBase: 'free',

  // Numbers are shared: readable, since calls need a `from_number`.
  connectSipNumber: 'refused',
  importTelcoNumber: 'refused',
  pointTelcoNumber: 'refused',
  listPhoneNumbers: 'free',
  getPhoneNumber: 'free',
  updatePhoneNumber: 'refused',
  deletePhoneNumber: 'refused',

  createPhoneCall: 'filtered',
  createWebCall: 'filtered',
  createWidgetCall: 'filtered',
  listCalls: 'filtered',
  exportCalls: 'filtered',
  listLiveCalls: 'filtered',
  legacyCalls: 'filtered',
  getCall: 'call',
  getCallTimeline: 'call',
  fixTranscript: 'call',
  stopCall: 'call',
  pauseRecording: 'call',
  resumeRecording: 'call',
  listCallWebhooks: 'call',
  resendCallWebhooks: 'call',

  // The list is shared by the whole workspace.
  addToDoNotCall: 'refused',
  listDoNotCall: 'refused',
  removeFromDoNotCall: 'refused',

  createCampaign: 'filtered',
  listCampaigns: 'filtered',
  getCampaign: 'campaign',
  explainCampaign: 'campaign',
  resumeCampaign: 'campaign',
  pauseCampaign: 'campaign',
  cancelCampaign: 'campaign',
  listContacts: 'campaign',
  appendContacts: 'campaign',
  downloadContacts: 'campaign',

  listWebhookEndpoints: 'refused',
  testWebhookEndpoint: 'refused',
  listFailedWebhooks: 'refused',

  listCallAnalytics: 'filtered',
  getCallAnalytics: 'filtered',
  // They count and name what belongs to other assistants.
  getConcurrency: 'refused',
  getAttention: 'refused',

  listAuditLog: 'refused',

  // An erasure covers the whole workspace.
  createErasure: 'refused',
  getErasure: 'refused',
  listErasures: 'refused',

  callIn: 'refused',
};

export function agentScopeOf({ id }: Pick<AnyEndpoint, 'id'>): AgentScope {
  return AGENT_SCOPES[id] ?? 'refused';
}
