import type { ToolDefinition } from './prompt.ts'

/** The function that is offered in place of definitions that do not fit into the budget. */
export const findToolsDefinition: ToolDefinition = {
  name: 'find_tools',
  description:
    'Find functions by what they do. Returns the matching functions with their parameters; they can be called from the next step on.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'A few words, or the name of a function' } },
    required: ['query'],
    additionalProperties: false,
  },
}
