export { fakeCall } from './call-messages.ts';
export { fakePeersOfCampaigns } from './campaigns-peers.ts';
export { customTool } from './custom-tool.ts';
export { withoutOwnSecrets } from './own-secrets.ts';
export { type FakePeersOfTelephony, fakePeersOfTelephony } from './telephony-peers.ts';
