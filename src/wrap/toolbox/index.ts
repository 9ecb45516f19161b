/** The tools that a model is offered and may call: definitions, permission, execution, results. */
export { type Catalogue, createCatalogue } from './catalogue.ts'
export { directOffer } from './direct-offer.ts'
export { type FoundTool, type SearchDependencies, weighedTexts } from './find-tools.ts'
export { type CallNames, type SentOffer, createOffer, createOfferState } from './offer.ts'
export { FULL_ALLOWANCE, allowanceFor, cleanResult, presentResult, tokensOf } from './results.ts'
export { type CalledTool, type Caller, type CallerContext, type ReportDoing, ToolRunner } from './run-tool.ts'
export { MAX_CALLS_PER_STEP, type ToolCall, cleanName, createCallCheck, parseArguments } from './tool-call.ts'
export { sanitizeDefinition } from './tool-texts.ts'
export {
  type ExecutionContext,
  type RecordCall,
  type ToolReply,
  type Toolbox,
  executeTools,
  toolboxOf,
} from './toolbox.ts'
export { typedArguments } from './typed-arguments.ts'
