import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ran } from '../../support/commands/command-world.ts'
import { createCommandWorld } from '../../support/commands/command-world.ts'
import { createRightsStage, ROLES, ROOM_KINDS, type RightsStage } from './stage.ts'
import { RIGHTS, type RightsRow, withoutRights } from './table.ts'

/** What a refusal says, by the letter of table.ts. The first that fits counts. */
const SAID: readonly (readonly [letter: string, words: RegExp])[] = [
  ['?', /^there is no room called/],
  ['i', /^you are invited to/],
  ['b', /^you are banned from/],
  ['m', /^you are muted/],
  ['-', /^only /],
  ['g', /\bguests?\b/],
  ['a', / is (not )?archived/],
]

function letterOf({ status, err }: Ran): string {
  if (status === 0) return '+'
  const [said = ''] = err
  return SAID.find(([, words]) => words.test(said))?.[0] ?? 'x'
}

test('every verb has a row in the rights table', async () => {
  await using world = await createCommandWorld()
  expect(withoutRights(world.commands.map(({ name }) => name))).toEqual([])
  expect(withoutRights(['say', 'juggle', 'clear'])).toEqual(['juggle'])
})

describe.each(ROOM_KINDS)('in a room that is %s', (kind) => {
  describe.each(ROLES.map((role, at) => ({ role, at })))('$role', ({ role, at }) => {
    let stage: RightsStage
    beforeAll(async () => void (stage = await createRightsStage(kind)))
    afterAll(() => stage[Symbol.asyncDispose]())

    test('a role has exactly the rights of the table, and its changes are recorded as entries', async () => {
      const seen: string[] = []
      const wanted: string[] = []
      let isMoved = false
      for (const row of RIGHTS) {
        if (isMoved) {
          await stage[Symbol.asyncDispose]()
          stage = await createRightsStage(kind)
        }
        wanted.push(`${row[kind][at]} ${row.line}: ${entriesWanted(row, row[kind][at])}`)
        const before = stage.entries()
        const ran = await stage.run(role, row.line, row.stdin)
        const letter = letterOf(ran)
        seen.push(`${letter} ${row.line}: ${entriesSeen(row, stage.entries() - before)}`)
        isMoved = letter === '+' && row.moves === true
      }
      expect(seen).toEqual(wanted)
    })
  })
})

const entriesWanted = ({ changes }: RightsRow, letter: string | undefined): string =>
  changes === 'own' ? 'own' : letter === '+' && changes ? 'an entry' : 'none'

const entriesSeen = ({ changes }: RightsRow, more: number): string =>
  changes === 'own' ? 'own' : more > 0 ? 'an entry' : 'none'
