import type { LiveModelConfig } from '@parley/speech/providers';
import { loadOnce } from '../load-once.ts';
import type { FindSpeech } from '../speech/find-speech.ts';
import type { Apologise } from './apology.ts';
import type { LiveDeps, OpenLive } from './open-live.ts';

/** Models that listen and talk themselves [assistants.23]. */
export type LiveModels = {
  serves(provider: string): boolean;
  /** Undefined: this worker carries no audio. */
  open: OpenLive | undefined;
  apologise: Apologise | undefined;
};

type Deps = Omit<LiveDeps, 'models'> & {
  models: readonly LiveModelConfig[];
  carriesAudio: boolean;
  loadFindSpeech: () => Promise<FindSpeech>;
};

/** Their code is loaded for the first call that needs it. */
export function createLiveModels({ carriesAudio, loadFindSpeech, ...deps }: Deps): LiveModels {
  const { models } = deps;
  const load = loadOnce(async () => (await import('./open-live.ts')).createOpenLive(deps));
  const apologise: Apologise = async (call) => {
    const { createApology } = await import('./apology.ts');
    await createApology(await loadFindSpeech())(call);
  };
  const isUsed = carriesAudio && models.length > 0;
  return {
    serves: (provider) => models.some(({ name }) => name === provider),
    open: isUsed ? async (call) => (await load())(call) : undefined,
    apologise: isUsed ? apologise : undefined,
  };
}
