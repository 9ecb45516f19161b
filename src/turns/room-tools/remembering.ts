import { z } from 'zod'
import { Refusal } from '../../words/errors.ts'
import { defineTool, type Question, type Tool, type ToolContext } from '../../tools/index.ts'
import { ok } from '../../tools/results/index.ts'
import type { Memories, RoomOrMe } from '../memory/index.ts'
import type { RoomToolParts } from './shared.ts'

interface Proposal {
  readonly text: string
  readonly me: boolean
}

/** Asks people who may `/remember`, or the requester for their own memory, each time: no grant counts. */
export function rememberTool({ memories, rooms }: RoomToolParts): Tool {
  async function readProposal({ text, me }: Proposal, context: ToolContext): Promise<Proposed> {
    if (!memories) throw new Refusal('nothing can be remembered here')
    const { person } = context.requester
    if (person.guest) throw new Refusal(`${person.name} is a guest; nothing is remembered for guests`)
    // Somebody else's line may have started the turn.
    if (me && person.plainMemberOf !== undefined)
      throw new Refusal(`this turn adds nothing to what ${person.name} said of themselves`)
    const whose = me ? 'me' : await rooms.get(context.room, person, context.room)
    return { memories, whose, text: memories.cleanText(text) }
  }
  return defineTool({
    id: 'sshawl_remember',
    title: 'Remember',
    description: 'Proposes a fact to remember.',
    access: 'write',
    input: z.strictObject({
      text: z.string().describe('One line.'),
      me: z.boolean().describe('About your requester.').default(false),
    }),
    asks: async (given, context) => questionOf(await readProposal(given, context), context),
    run: async (given, context) => {
      const { memories: all, whose, text } = await readProposal(given, context)
      const { person } = context.requester
      const { number } = await all.add(whose, person, text)
      if (whose === 'me') return ok(`Remembered of ${person.name} (${number}).`)
      const { turn } = context.chat
      const by = turn ? `${turn.model}, for ${person.name},` : person.name
      const told = `${by} remembered ${number}: ${text}`
      await whose.record({ kind: 'notice', level: 'info', author: person.name, text: told })
      return ok(`Remembered of ${whose.name} (${number}).`)
    },
  })
}

interface Proposed {
  readonly memories: Memories
  readonly whose: RoomOrMe
  readonly text: string
}

/** Throws `Refusal` if nobody may let models remember something of the room. */
function questionOf({ memories, whose, text }: Proposed, { chat, requester }: ToolContext): Question {
  const { name } = requester.person
  const owner = whose === 'me' ? name : `the room ${whose.name}`
  const answeredBy = whose === 'me' ? 'requester' : memories.rememberers()
  if (answeredBy === 'nobody') throw new Refusal('nobody may use remember here ([routines] allow.remember)')
  const strangers = chat.turn?.textsOfStrangers?.() ?? []
  const warning =
    strangers.length > 0
      ? `\nBefore it proposed this, it read text of strangers: ${strangers.join(', ')}.`
      : ''
  return {
    target: `remember of ${owner}: ${text}`,
    detail: `remember of ${owner}, in every turn from now on:\n${text}${warning}`,
    asked: `remember something of ${owner}?`,
    answeredBy,
  }
}
