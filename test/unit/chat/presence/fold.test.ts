import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Entry, EntryId, RoomName } from '../../../../src/chat/entry.ts'
import { PresenceFold, foldPast } from '../../../../src/chat/presence/fold.ts'

type Word = `${string} joined` | `${string} left` | 'said'

let count = 0
const base = () => ({ id: `E${count}` as EntryId, at: count++, room: 'lobby' as RoomName, author: 'system' })

const entryOf = (word: Word): Entry => {
  const event = / (joined|left)$/.exec(word)?.[1]
  if (event === undefined) return { ...base(), kind: 'message', text: word }
  return { ...base(), kind: 'presence', event: event === 'left' ? 'left' : 'joined', text: word }
}
const entries = (...words: readonly Word[]): readonly Entry[] => words.map(entryOf)
const said = (count: number): readonly Word[] => Array.from({ length: count }, () => 'said')
const texts = (shown: readonly Entry[]): readonly string[] => shown.map(({ text }) => text)

/** What is shown of a log that is read entry by entry. */
function fold(log: readonly Entry[], columns = 80): readonly Entry[] {
  const reader = new PresenceFold()
  return [...log.flatMap((entry) => reader.take(entry, columns)), ...reader.end(columns)]
}

describe('comings and goings in a row', () => {
  test.each([foldPast, fold])('are one line, with the names by what they did in the end', (shownOf) => {
    const row = entries('ann joined', 'bob joined', 'cy left', 'bob left', 'cy joined', 'dee left')
    expect(texts(shownOf([...entries(...said(4)), ...row], 80)).at(-1)).toBe(
      'ann joined · dee left · bob came and went · cy left and came back',
    )
  })

  test.each([foldPast, fold])('are counted where the names do not fit', (shownOf) => {
    const long = 'b'.repeat(80)
    const log = [...entries(...said(4)), ...entries('ann joined', `${long} joined`, 'cy joined', 'dee left')]
    expect(texts(shownOf(log, 111)).at(-1)).toBe(`ann, ${long}, cy joined · dee left`)
    expect(texts(shownOf(log, 110)).at(-1)).toBe('3 came · 1 left')
    const wide = [...entries(...said(4)), ...entries(`${'漢'.repeat(34)} joined`, 'bob joined')]
    expect(texts(shownOf(wide, 82)).at(-1)).toBe('2 came')
  })

  test.each([foldPast, fold])('have names on a narrow screen too if these are few', (shownOf) => {
    const log = [...entries(...said(4)), ...entries('ann left', 'bob joined', 'bob left')]
    expect(texts(shownOf(log, 20)).at(-1)).toBe('ann left · bob came and went')
  })

  test.each([foldPast, fold])('have what a sum has, and a sum alone keeps its words', (shownOf) => {
    const sum: Entry = {
      ...base(),
      kind: 'presence',
      event: 'summed',
      joined: ['a'],
      left: [],
      text: 'a sum',
    }
    const before = entries(...said(4))
    expect(texts(shownOf([...before, sum], 80)).at(-1)).toBe('a sum')
    expect(texts(shownOf([...before, sum, entryOf('b joined')], 80)).at(-1)).toBe('a, b joined')
  })

  test.each([foldPast, fold])(
    'have whoever was there before a sum in which they left and joined there still',
    (shownOf) => {
      const sum: Entry = {
        ...base(),
        kind: 'presence',
        event: 'summed',
        joined: ['ann', 'bob'],
        left: ['ann', 'bob'],
        text: 'a sum',
      }
      const log = [...entries(...said(4), 'ann joined'), sum]
      expect(texts(shownOf(log, 80)).at(-1)).toBe('ann joined · bob came and went')
    },
  )

  test('that are one person stay the entry that was recorded', () => {
    const log = entries(...said(3), 'ann joined', 'said')
    expect(foldPast(log, 80)).toEqual(log)
    expect(fold(log)).toEqual(log)
  })

  test('have the time and the id of the last of them, so that lines stay in order', () => {
    const log = entries(...said(3), 'ann joined', 'bob joined', 'said')
    for (const shown of [foldPast(log, 80), fold(log)]) {
      expect(shown[3]).toMatchObject({ id: log[4]?.id, at: log[4]?.at, joined: ['ann', 'bob'], left: [] })
    }
  })

  test('are shown where nothing else is', () => {
    for (const shownOf of [foldPast, fold])
      expect(texts(shownOf(entries('ann joined', 'bob joined'), 80))).toEqual(['ann, bob joined'])
    expect(fold([])).toEqual([])
  })

  test('are never a third of what is shown, whatever the log has, and nothing that was said is missing', () => {
    const words = fc.constantFrom<Word>('said', 'ann joined', 'ann left', 'bob joined', 'bob left')
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), (list) => {
        const log = entries(...list)
        const speech = log.filter(({ kind }) => kind === 'message')
        for (const shown of [foldPast(log, 80), fold(log)]) {
          expect(shown.filter(({ kind }) => kind === 'message')).toEqual(speech)
          const lines = shown.length - speech.length
          expect(lines * 3 < shown.length || (speech.length === 0 && shown.length <= 1)).toBe(true)
          expect(texts(shown.filter((_, at) => isPresence(shown[at]) && isPresence(shown[at + 1])))).toEqual(
            [],
          )
        }
      }),
    )
  })
})

const isPresence = (entry: Entry | undefined): boolean => entry?.kind === 'presence'

describe('a fold of a log that goes on', () => {
  test('has a line that waits, until something else is shown', () => {
    const reader = new PresenceFold()
    for (const entry of entries(...said(3))) reader.take(entry, 80)
    expect(reader.take(entryOf('ann joined'), 80)).toEqual([])
    expect(reader.take(entryOf('bob joined'), 80)).toEqual([])
    expect(reader.waiting(80)?.text).toBe('ann, bob joined')
    expect(reader.waiting(80)).toBe(reader.waiting(80))
    expect(texts(reader.other(80))).toEqual(['ann, bob joined'])
    expect(reader.waiting(80)).toBeUndefined()
  })

  test('shows the own coming at once, and keeps no endless row', () => {
    const reader = new PresenceFold('me')
    expect(texts(reader.take(entryOf('me joined'), 80))).toEqual(['me joined'])
    const shown = Array.from({ length: 1_000 }, (_, at) => reader.take(entryOf(`p${at} joined`), 80)).flat()
    expect(texts(shown)).toEqual(Array.from({ length: 5 }, () => '200 came'))
  })
})
