import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EntryId, RoomName, TurnId } from '../../../src/chat/entry.ts'
import { draftOf } from '../../../src/session/line-editor.ts'
import { createLiveView } from '../../../src/session/live-view.ts'
import type { SessionView } from '../../../src/session/session-view.ts'
import { status } from '../../support/session-host.ts'
import { createEmulator, createFakeTerminal } from '../../support/terminal.ts'

const room = 'lobby' as RoomName
const turn = 't1' as TurnId
const entry = { id: '1' as EntryId, at: 0, room, author: 'bob' }
const words = fc.array(fc.constantFrom('word', 'longer-word', '日本語', '👩‍👩‍👧', '\n', 'a\tb', '\u001b[2J'), {
  maxLength: 40,
})

type Action = readonly [name: string, run: (view: SessionView) => void]

/** Things that happen in a session, in any order. */
const action: fc.Arbitrary<Action> = fc.oneof(
  words.map((parts): Action => ['draft', (view) => view.draft(draftOf(parts.join(' ')))]),
  words.map((parts): Action => [
    'message',
    (view) => view.entry({ ...entry, kind: 'message', text: `<${parts.join(' ')}` }),
  ]),
  words.map((parts): Action => ['print', (view) => view.print(`<${parts.join(' ')}`)]),
  words.map((parts): Action => [
    'stream',
    (view) => view.stream({ room, turn, model: 'guide', text: parts.join(' ') }),
  ]),
  fc.constant<Action>(['redraw', (view) => view.redraw()]),
)

test('whatever happens, there is one status line, the draft is below it, and every message stands once above', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { maxLength: 25 }),
      fc.record({ columns: fc.integer({ min: 20, max: 90 }), rows: fc.integer({ min: 4, max: 30 }) }),
      async (actions, size) => {
        const terminal = createFakeTerminal({ size })
        const view = createLiveView(terminal, () => status)
        for (const [, run] of actions) run(view)
        view.draft(draftOf('the end'))
        const emulator = createEmulator(size.columns, size.rows)
        await emulator.write(terminal.written())
        const all = emulator.all()
        expect(all.at(-1)).toBe('> the end')
        expect(all.at(-2)).toMatch(/^lobby · /)
        expect(all.filter((row) => row.startsWith('lobby · '))).toHaveLength(1)
        expect(emulator.cursor().column).toBe('> the end'.length)
        if (!actions.some(([name]) => name === 'redraw')) {
          const said = actions.filter(([name]) => name === 'message' || name === 'print')
          expect(all.filter((row) => row.startsWith('<') || row.startsWith('bob: <'))).toHaveLength(
            said.length,
          )
        }
        view.close()
      },
    ),
    { numRuns: 150 },
  )
})

test('after closing, the draft and the status line are gone and nothing more is written', async () => {
  const terminal = createFakeTerminal({ size: { columns: 40, rows: 10 } })
  const view = createLiveView(terminal, () => ({ ...status, running: ['Grep'] }))
  view.draft(draftOf('not sent'))
  view.close('bye')
  const written = terminal.written()
  view.entry({ ...entry, kind: 'message', text: 'late' })
  view.stream({ room, turn, model: 'guide', text: 'late' })
  view.close()
  expect(terminal.written()).toBe(written)
  const emulator = createEmulator(40, 10)
  await emulator.write(written)
  expect(emulator.all()).toEqual(['bye'])
})

test('a reply of another room is not drawn here', () => {
  const terminal = createFakeTerminal({ size: { columns: 40, rows: 10 } })
  const view = createLiveView(terminal, () => status)
  view.stream({ room: 'elsewhere' as RoomName, turn, model: 'guide', text: 'secret' })
  view.draft(draftOf('x'))
  expect(terminal.written()).not.toContain('secret')
  view.close()
})
