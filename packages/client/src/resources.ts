import * as contract from '@parley/contracts';

/** The methods of the client and their endpoints in the contract. */
export const resources = {
  assistants: {
    create: contract.createAssistant,
    get: contract.getAssistant,
    update: contract.patchAssistant,
    replace: contract.replaceAssistant,
    delete: contract.deleteAssistant,
    list: contract.listAssistants,
    voices: contract.listVoices,
    testTurn: contract.testAssistant,
    models: contract.listModels,
    transcribers: contract.listTranscribers,
  },
  tools: {
    createCustom: contract.createCustomTool,
    createNative: contract.createNativeTool,
    get: contract.getTool,
    updateCustom: contract.updateCustomTool,
    updateNative: contract.updateNativeTool,
    delete: contract.deleteTool,
    list: contract.listTools,
    test: contract.testTool,
  },
  knowledgeBases: {
    create: contract.createKnowledgeBase,
    get: contract.getKnowledgeBase,
    delete: contract.deleteKnowledgeBase,
    list: contract.listKnowledgeBases,
    search: contract.searchKnowledgeBase,
    addDocument: contract.addDocument,
    getDocument: contract.getDocument,
    deleteDocument: contract.deleteDocument,
    listDocuments: contract.listDocuments,
  },
  phoneNumbers: {
    connectSip: contract.connectSipNumber,
    importTelco: contract.importTelcoNumber,
    pointTelco: contract.pointTelcoNumber,
    get: contract.getPhoneNumber,
    update: contract.updatePhoneNumber,
    delete: contract.deletePhoneNumber,
    list: contract.listPhoneNumbers,
  },
  calls: {
    create: contract.createPhoneCall,
    createWeb: contract.createWebCall,
    get: contract.getCall,
    timeline: contract.getCallTimeline,
    fixTranscript: contract.fixTranscript,
    stop: contract.stopCall,
    list: contract.listCalls,
    export: contract.exportCalls,
    live: contract.listLiveCalls,
    concurrency: contract.getConcurrency,
    webhooks: contract.listCallWebhooks,
    resendWebhooks: contract.resendCallWebhooks,
  },
  doNotCall: {
    add: contract.addToDoNotCall,
    remove: contract.removeFromDoNotCall,
    list: contract.listDoNotCall,
  },
  privacy: {
    erase: contract.createErasure,
    get: contract.getErasure,
    list: contract.listErasures,
  },
  campaigns: {
    create: contract.createCampaign,
    get: contract.getCampaign,
    explain: contract.explainCampaign,
    resume: contract.resumeCampaign,
    pause: contract.pauseCampaign,
    cancel: contract.cancelCampaign,
    list: contract.listCampaigns,
    addContacts: contract.appendContacts,
    listContacts: contract.listContacts,
    downloadContacts: contract.downloadContacts,
  },
  webhookEndpoints: {
    list: contract.listWebhookEndpoints,
    test: contract.testWebhookEndpoint,
  },
  analytics: {
    calls: contract.getCallAnalytics,
    attention: contract.getAttention,
  },
  auditLog: {
    list: contract.listAuditLog,
  },
  simulator: { callIn: contract.callIn },
} as const;

/** POSTs that create nothing and are safe to repeat. */
export const REPEATABLE_POSTS: ReadonlySet<string> = new Set([
  contract.searchKnowledgeBase.id,
  contract.pointTelcoNumber.id,
  contract.resumeCampaign.id,
  contract.pauseCampaign.id,
  contract.cancelCampaign.id,
]);
