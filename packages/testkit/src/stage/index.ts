export { type Answer, type Api, createApi } from './api.ts';
export { bootPlatform, type Platform } from './boot-platform.ts';
export { bundledEntry } from './bundled-entry.ts';
export { type DialingStage, type Line, stageDialing, untilUp } from './dialing.ts';
export { cancel, createCampaign, pause, resume } from './dialing-campaign.ts';
export { endProcess } from './end-process.ts';
export {
  hasOwnBroker,
  type KillableServer,
  killableBroker,
  killablePostgres,
  limitedBroker,
  type OwnBroker,
  ownBroker,
} from './killable-servers.ts';
export { startOperator } from './operator.ts';
export { createPlatformStack, type Workspace } from './platform-stack.ts';
export { type ServiceProcess, startService } from './service-process.ts';
export { type PlatformStage, stagePlatform } from './stage-platform.ts';
export { type CrashPoint, type Role, startVictim, type Victim } from './victim.ts';
