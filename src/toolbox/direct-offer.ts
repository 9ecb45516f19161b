import { failed } from '../tools/tool.ts'
import { unknownTool, type Offer } from './offer.ts'

/** What names stand for where no model is present: whatever is in the scope of now. Nothing is sent, nothing deferred. */
export const directOffer: Offer = {
  definitions: [],
  resolve(name, { visible, catalogue }) {
    const listed = visible.find((tool) => tool.name === name)
    const tool = listed && catalogue.handler(listed.id)
    return tool && { kind: 'tool', id: tool.id, tool }
  },
  unknown: (name, { visible }) =>
    unknownTool(
      name,
      visible.map((tool) => tool.name),
    ),
  search: () => failed('there is nothing to search for here'),
}
