import type { RoomName } from '../chat/entry.ts'
import type { PersonId } from '../chat/people/person.ts'
import type { QuestionBook } from './ports.ts'

interface RoomPage {
  lastNumber: number
  readonly open: Map<number, PersonId>
}

/** The open questions of a server that is alone. */
export function createQuestionBook(): QuestionBook {
  const pages = new Map<RoomName, RoomPage>()
  return {
    async open({ room, requester }, mayOpen) {
      const page = pages.get(room) ?? { lastNumber: 0, open: new Map() }
      pages.set(room, page)
      const own = [...page.open.values()].filter((id) => id === requester.id).length
      const counts = { open: page.open.size, own }
      if (!mayOpen(counts)) return counts
      page.open.set(++page.lastNumber, requester.id)
      return page.lastNumber
    },
    close: async (room, number) => (pages.get(room)?.open.delete(number) ? 'closed' : 'gone'),
    elsewhere: () => [],
  }
}
