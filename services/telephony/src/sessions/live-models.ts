import type { LiveModelConfig } from '@parley/speech/providers';
import { loadOnce } from '../load-once.ts';
import type { LiveDeps, OpenLive } from './open-live.ts';

/** Models that listen and talk themselves [assistants.23]. */
export type LiveModels = {
  serves(provider: string): boolean;
  /** Undefined: this worker carries no audio. */
  open: OpenLive | undefined;
};

type Deps = Omit<LiveDeps, 'models'> & {
  models: readonly LiveModelConfig[];
  carriesAudio: boolean;
};

/** Their code is loaded for the first call that needs it. */
export function createLiveModels({ carriesAudio, ...deps }: Deps): LiveModels {
  const { models } = deps;
  const load = loadOnce(async () => (await import('./open-live.ts')).createOpenLive(deps));
  const isUsed = carriesAudio && models.length > 0;
  return {
    serves: (provider) => models.some(({ name }) => name === provider),
    open: isUsed ? async (call) => (await load())(call) : undefined,
  };
}
