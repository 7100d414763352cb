import { retry } from '@parley/kit/concurrency';
import type { Log } from '@parley/kit/log';
import type { LegState, OneLegState } from './leg-state.ts';

/** The state of the leg to a target that another worker needs; null: none. */
export type StateOfTarget = () => OneLegState | null;

/** Stores a leg and the targets of its transfers with the call, so that another worker can continue or end them. */
export type StoredLeg = {
  /** Stores the state if the leg has one. Saves run one at a time, so the latest state is the one that remains. */
  save(): Promise<void>;
  /** The same in the background. */
  saveLater(): void;
  /** Adds the leg to the target of a transfer: another worker hangs it up, or continues both legs if they are bridged. */
  setTarget(state: StateOfTarget, isBridged?: boolean): Promise<void>;
  /** The leg to the target is over. Until then it stays stored, even if another transfer has begun. */
  forgetTarget(state: StateOfTarget): void;
  /** The far end is being connected to another party: if it hangs up, the transfer has succeeded. */
  expectTransfer(isExpected: boolean): void;
  isTransferring(): boolean;
};

type Deps = {
  /** Null: there is none yet, or another worker has the leg. */
  state: () => OneLegState | null;
  /** The end of the leg was reported, which removes the state of the call. */
  isOver: () => boolean;
  saveState: (state: LegState) => Promise<void>;
  log: Log;
};

type Target = { state: StateOfTarget; isBridged: boolean };

const SAVE_TRIES = 3;
const SAVE_AGAIN_MS = 40;

export function createStoredLeg({ state, isOver, saveState, log }: Deps): StoredLeg {
  let saving: Promise<void> = Promise.resolve();
  /** The last one is that of the latest transfer; the others are being hung up. */
  let targets: readonly Target[] = [];
  /** Targets that are over: a save that was still waiting must not add them again. */
  const forgotten = new WeakSet<StateOfTarget>();
  let isTransferring = false;

  const saveNow = async (): Promise<void> => {
    const leg = state();
    const target = targets.at(-1);
    const bridged = target?.state() ?? null;
    // The end of a call waits for the target of its transfer.
    if (!leg || (isOver() && !bridged)) return;
    const left = targets.slice(0, -1).flatMap((other) => other.state() ?? []);
    const isBridged = target?.isBridged ?? false;
    const isReferred = isTransferring && !isBridged;
    await saveState({ sip: 1, leg, bridged, isBridged, isReferred, left });
  };

  const save: StoredLeg['save'] = () => {
    const saved = saving.then(() => retry(saveNow, { attempts: SAVE_TRIES, delayMs: () => SAVE_AGAIN_MS }));
    saving = saved.catch((err: unknown) => log.warn({ err }, 'the state of a SIP leg was not stored'));
    return saved;
  };
  const saveLater = (): void => void save();

  return {
    save,
    saveLater,
    setTarget(target, isBridged = false) {
      const known = targets.find((one) => one.state === target);
      if (known) known.isBridged = isBridged;
      else if (!forgotten.has(target)) targets = [...targets, { state: target, isBridged }];
      return save();
    },
    forgetTarget(target) {
      forgotten.add(target);
      const others = targets.filter((one) => one.state !== target);
      if (others.length === targets.length) return;
      targets = others;
      saveLater();
    },
    expectTransfer(isExpected) {
      isTransferring = isExpected;
      saveLater();
    },
    isTransferring: () => isTransferring,
  };
}
