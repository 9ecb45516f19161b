/** Asks a model step by step: stream, reply, usage. A step's calls run between two requests. */
export {
  type AssistantMessage,
  type ConfiguredModel,
  type FinishReason,
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelFacts,
  type ModelRefusal,
  type ModelRequest,
  type PartialUsage,
  type RequestMessage,
  type StepMessage,
  type Thought,
} from './model.ts'
export { questionTexts, transcript } from './question-texts.ts'
export { type Reply, createReply, createStreamCleaner } from './reply.ts'
export { runSteps } from './run-steps.ts'
export { type StepResult, type StepView, streamStep } from './stream-step.ts'
export { type ReceivedAnswer, addCosts, addEstimates, addUsage } from './usage.ts'
