export {
  type ApplyRetention,
  createApplyRetention,
  mountRetention,
  type RetentionStep,
} from './apply-retention.ts';
export { createRemover, type Remover, type RemoverDeps } from './create-remover.ts';
export { type DeleteOptions, deleteRows } from './delete-rows.ts';
export { createErasedNumbers, type ErasedNumbers } from './erased-numbers.ts';
export { isMask, mentionOf } from './mention.ts';
export { mountRemover } from './mount-remover.ts';
export { replaceMentions } from './replace-mentions.ts';
export { awaitOutbox, eraseNamedKeys, eraseRefused, eraseStoredAnswers } from './standard-steps.ts';
export { halved, identityOf, madeFrom, type RemovalStep, type RemovalTarget } from './step.ts';
export { type PageStep, walkTable } from './walk-table.ts';
