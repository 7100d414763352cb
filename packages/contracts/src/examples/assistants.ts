import {
  createAssistant,
  getAssistant,
  listAssistants,
  listModels,
  listTranscribers,
  listVoices,
  patchAssistant,
  replaceAssistant,
} from '../endpoints/assistants.ts';
import {
  addDocument,
  createKnowledgeBase,
  getDocument,
  getKnowledgeBase,
  listDocuments,
  listKnowledgeBases,
  searchKnowledgeBase,
} from '../endpoints/knowledge-bases.ts';
import { testAssistant, testTool } from '../endpoints/test-turns.ts';
import {
  createCustomTool,
  createNativeTool,
  getTool,
  listTools,
  listWorkspaceTools,
  updateCustomTool,
  updateNativeTool,
} from '../endpoints/tools.ts';
import { example } from './example.ts';
import { IDS, NUMBER } from './story.ts';

const CREATED = '2026-03-14T09:12:07.114Z';
const SYSTEM_PROMPT = 'You confirm appointments of the dental practice Dr. Hopper.';

const assistant = {
  id: IDS.assistant,
  agent_name: 'Ada',
  agent_type: 'Single Prompt',
  config: {
    systemPrompt: SYSTEM_PROMPT,
    firstMessage: 'Hello {{contact_name}}, this is Ada.',
    language: 'en-US',
    model: { provider: 'builtin' as const, name: 'scripted-1', temperature: 0.7 },
    voice: { voiceId: 'kal', speed: 1 },
    transcriber: { keywords: [] },
    settings: {
      webhookUrl: 'https://example.com/parley',
      maxCallDuration: 600,
      silenceTimeout: 30,
      ringTimeout: 30,
      endpointing: { silenceMs: 700 },
      interruption: { enabled: true, minSpeechMs: 300 },
      recording: { enabled: true },
      voicemail: { detection: true, action: 'hangup' as const, message: '' },
      postCallAnalysis: {
        enabled: true,
        fields: [
          { type: 'boolean' as const, name: 'confirmed', description: 'The appointment is confirmed' },
        ],
      },
    },
    toolIds: [IDS.tool],
    kbStoreIds: [IDS.knowledgeBase],
    fileSearchStoreIds: [],
    nativeTools: {
      end_call: { enabled: true },
      transfer_call: { enabled: false, mode: 'static' as const, staticDestination: '' },
      send_sms: { enabled: false, smsContentType: 'prompt' as const, smsStaticMessage: '' },
    },
  },
  webhook_secret: null,
  updated_at: CREATED,
};

const customTool = {
  id: IDS.tool,
  agent_id: IDS.assistant,
  tool_name: 'find_slot',
  description: 'Checks whether a day and hour are free',
  is_native: false,
  endpoint_url: 'https://example.com/slots',
  http_method: 'POST' as const,
  headers: { authorization: '********' },
  webhook_secret: null,
  parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
  timeout_seconds: 10,
  tool_behavior: 'blocking' as const,
  result_scheduling: null,
  sms_content_type: null,
  sms_static_message: null,
  telco_account_sid: null,
  telco_from_number: null,
  transfer_call_mode: null,
  transfer_call_destination: null,
  transfer_call_type: null,
  created_at: '2026-03-14T09:13:40.250118+00:00',
  updated_at: '2026-03-14T09:13:40.250118+00:00',
};

const transferTool = {
  ...customTool,
  tool_name: 'transfer_call',
  description: 'Transfers the caller to the reception',
  is_native: true,
  endpoint_url: 'native://transfer_call',
  headers: null,
  parameters: { type: 'object', properties: {} },
  transfer_call_mode: 'static' as const,
  transfer_call_destination: '+14155550124',
  transfer_call_type: 'cold' as const,
};

const knowledgeBase = {
  id: IDS.knowledgeBase,
  name: 'House rules',
  document_count: 1,
  created_at: CREATED,
  updated_at: CREATED,
};

const OPENING_HOURS = 'We are open from 9 to 17, Monday to Friday.';
const document = {
  id: IDS.document,
  knowledge_base_id: IDS.knowledgeBase,
  title: 'Opening hours',
  size: OPENING_HOURS.length,
  created_at: CREATED,
};

export const assistantExamples = [
  example(testAssistant, {
    test_id: '0197f3e0-4a1d-7c52-9b6f-0d2a7c8e5f10',
    entries: [
      {
        role: 'tool',
        tool_call_id: '0197f3e0-4b77-7d03-8e21-6a9f1c2b3d40',
        tool_name: 'find_slot',
        tool_type: 'custom',
        arguments: { day: '2026-03-15' },
        result: { free: true },
        error: null,
        status_code: 200,
        documents: null,
        duration_ms: 84,
        simulated: null,
      },
      { role: 'agent', content: 'Yes, tomorrow at ten.', latency_ms: 412, duration_ms: 655 },
    ],
    ended_by: null,
    unresolved_variables: [],
    is_timed_out: false,
    duration_ms: 1_151,
  }),
  example(testTool, {
    role: 'tool',
    tool_call_id: '0197f3e0-4b77-7d03-8e21-6a9f1c2b3d40',
    tool_name: 'find_slot',
    tool_type: 'custom',
    arguments: { day: '2026-03-15' },
    result: { free: true },
    error: null,
    status_code: 200,
    documents: null,
    duration_ms: 84,
    simulated: null,
  }),
  example(createAssistant, assistant),
  example(getAssistant, assistant),
  example(patchAssistant, assistant),
  example(replaceAssistant, assistant),
  example(listAssistants, {
    id: IDS.assistant,
    agent_name: 'Ada',
    updated_at: CREATED,
    config: { systemPrompt: SYSTEM_PROMPT, voice: { voiceId: 'kal', speed: 1 } },
    inbound_phone_number: NUMBER,
    outbound_phone_number: NUMBER,
  }),
  example(listVoices, [
    {
      voice_id: 'kal',
      voice_name: 'Kal',
      provider: 'builtin',
      gender: 'male',
      language: 'en-US',
      preview_url: null,
      available: true,
    },
  ]),
  example(listModels, [
    { provider: 'builtin', is_live: false, names: ['scripted-1', 'scripted-live-1'] },
    { provider: 'openai', is_live: false, names: [] },
  ]),
  example(listTranscribers, [{ provider: 'builtin', available: true }]),
  example(createCustomTool, customTool),
  example(updateCustomTool, customTool),
  example(getTool, customTool),
  example(listTools, customTool),
  example(listWorkspaceTools, { ...customTool, agent_name: 'Ada' }),
  example(createNativeTool, transferTool),
  example(updateNativeTool, transferTool),
  example(createKnowledgeBase, { ...knowledgeBase, document_count: 0 }),
  example(getKnowledgeBase, knowledgeBase),
  example(listKnowledgeBases, knowledgeBase),
  example(addDocument, document),
  example(listDocuments, document),
  example(getDocument, { ...document, text: OPENING_HOURS }),
  example(searchKnowledgeBase, [
    { document_id: IDS.document, title: 'Opening hours', snippet: OPENING_HOURS, score: 0.82 },
  ]),
];
