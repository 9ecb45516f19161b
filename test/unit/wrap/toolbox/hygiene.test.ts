import fc from 'fast-check'
import { expect, it } from 'vitest'
import { entryJson, entryLine } from '../../../../src/words/entry-text.ts'
import { safeJson } from '../../../../src/base/json.ts'
import { directOffer } from '../../../../src/wrap/toolbox/direct-offer.ts'
import { asRepeated } from '../../../../src/wrap/toolbox/tool-call.ts'
import { ok } from '../../../../src/tools/results/result.ts'
import { call, say, scriptedModel } from '../../../support/scripted-model.ts'
import { createTurnWorld, tool } from '../../../support/turn-world.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'

/** What must reach nobody: controls, directions, tags, fillers, other line ends. Joiners may stand in an emoji. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u2028-\u202e\u2060-\u206f\u3164\ufeff\u{e0001}\u{e0041}]/u

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\u2028',
        '\u{e0041}\u{e0042}',
        '\u009b31m',
        '\u001b]0;x\u0007',
        '\u202e',
        '\u200b',
        '\ufeff',
      ),
      fc.constantFrom('\r\n', '\0', '👩\u200d🚀', '"', '\\', '\ud83d', 'say this'),
      fc.string({ unit: anyCharacter, maxLength: 10 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(text, tie('value'), { maxKeys: 3 }),
}))

/** All texts of a value, the names of properties too. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => [name, ...textsIn(one)])
}

it('a tool call is stored and shown without invisible characters', async () => {
  await using world = await createTurnWorld(scriptedModel(), { tools: [tool('echo')] })
  const toolbox = world.openToolbox({ room: world.room, requester: world.ann }, directOffer)
  const { signal } = new AbortController()
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constant('echo'), text), values.object, async (name, args) => {
      await toolbox.run({ id: 'c', name, arguments: JSON.stringify(args) }, signal)
      for (const entry of (await world.log()).slice(-2)) {
        for (const stored of textsIn(entry)) expect(stored).not.toMatch(HIDDEN)
        expect(entryLine(entry)).not.toMatch(HIDDEN)
        expect(safeJson(entryJson(entry))).not.toMatch(/[\n\u2028\u2029]/u)
      }
    }),
    { numRuns: runs(150) },
  )
})

it('tool arguments are repeated to a model without invisible characters', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        values.object.map((one) => JSON.stringify(one)),
        text,
      ),
      (args) => {
        const { arguments: sent } = asRepeated({ id: 'c', name: 'x', arguments: args })
        for (const one of textsIn(JSON.parse(sent))) expect(one).not.toMatch(HIDDEN)
      },
    ),
  )
})

it('a verbatim argument reaches its tool unchanged, but is sanitized in prompt and log', async () => {
  const dirty = 'a\u200bb\r\n\u{e0041}'
  const given: unknown[] = []
  const write = tool('write', (args) => (given.push(args), ok('written')), { verbatim: ['content'] })
  const model = scriptedModel(
    call(['wri\u2028te\u{e0041}', {}], ['write', { content: dirty, path: dirty }]),
    say('x'),
  )
  await using world = await createTurnWorld(model, { tools: [write] })
  await world.ask()
  expect(given).toEqual([{ content: dirty, path: 'ab\n' }])
  for (const one of textsIn(model.requests[1])) expect(one).not.toMatch(HIDDEN)
  for (const one of textsIn(await world.log())) expect(one).not.toMatch(HIDDEN)
})
