/** Several models answer one question, and one of them writes the answer. */
export type { PanelLimits, PanelRequest } from './panel.ts'
export { withPanels } from './run-panel.ts'
