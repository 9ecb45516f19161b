/** Tools of the operator's own modules. */
export {
  type ModuleProblem,
  type ToolModules,
  type ToolModulesOptions,
  createToolModules,
} from './tool-modules.ts'
