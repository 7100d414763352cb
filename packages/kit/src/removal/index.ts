export {
  type ApplyRetention,
  createApplyRetention,
  mountRetention,
  type RetentionDeps,
  type RetentionStep,
} from './apply-retention.ts';
export { createRemover, type Remover, type RemoverDeps } from './create-remover.ts';
export { type DeleteOptions, deleteRows } from './delete-rows.ts';
export { createErasedNumbers, type ErasedNumbers } from './erased-numbers.ts';
export { isMask, type Mention, mentionOf } from './mention.ts';
export { mountRemover } from './mount-remover.ts';
export { nextPages, type PageRange } from './page-walk.ts';
export { type MentionsOptions, replaceMentions } from './replace-mentions.ts';
export { awaitOutbox, eraseNamedKeys, eraseRefused, eraseStoredAnswers } from './standard-steps.ts';
export type { Kept, RemovalStep, RemovalTarget, StepResult } from './step.ts';
