/** The tools that a model is offered, and the detail of their definitions. */
export {
  type KnownServers,
  MAX_PATTERNS,
  MAX_PATTERN_CHARACTERS,
  NO_SERVERS,
  isGroupWord,
  parseScope,
  unmatchedPatterns,
} from './scope-patterns.ts'
export {
  type Bounds,
  type HiddenTool,
  type Resolution,
  SCOPE_KEY,
  effectiveScope,
  modelScopeKey,
  resolveScope,
  scopeFromWords,
  scopeText,
} from './scope.ts'
export { definitionOf, findToolsDefinition, framedTokens } from './tool-definitions.ts'
export { uniqueTools } from './tool-names.ts'
