import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { calls, says } from '../../support/model-server.ts'
import { sandboxConfig } from '../../support/needs.ts'
import type { AnyServer } from '../../support/server.ts'
import { createModelStageHere, type ModelStage } from '../../support/stage.ts'
import { fixture, lastReply, rhea, tryAll, type Requirements } from './support.ts'

let stage: ModelStage<AnyServer>
beforeAll(async () => {
  const dirs = JSON.stringify([fixture('tools'), fixture('broken')])
  stage = await createModelStageHere(`${sandboxConfig}[tools]\ndirs = ${dirs}\n[tools.web]\n`, {
    isShared: true,
  })
  await stage.claim('rhea')
  const files = join(stage.dir, 'data/rooms/lobby/files')
  await mkdir(files, { recursive: true })
  await writeFile(join(files, 'a.txt'), 'needle\n')
})
afterAll(() => stage[Symbol.asyncDispose]())

interface Listed {
  readonly tools: readonly { readonly id: string; readonly source: string }[]
}
const ids = async (): Promise<readonly string[]> =>
  (JSON.parse(await rhea(stage, 'tools', 'lobby', '--json')) as Listed).tools.map(({ id }) => id)
const run = async (tool: string, args: object): Promise<string> =>
  await rhea(stage, 'run', 'lobby', tool, JSON.stringify(args))
/** What is said of a call that fails. */
const refused = async (tool: string, args: object): Promise<string> =>
  (await stage.as('rhea', ['run', 'lobby', tool, JSON.stringify(args)])).stderr
/** What was logged of a fixture that cannot be used. */
const logged = (file: string): readonly string[] =>
  stage.server
    .stderr()
    .split('\n')
    .filter((line) => line.includes(fixture(`${file}.tool`)))
/** The definition of a tool in the request of a model that may call nothing else. */
async function sent(name: string): Promise<unknown> {
  await rhea(stage, 'tools', 'lobby', name)
  stage.models.play(says('fine'))
  await rhea(stage, 'ask', 'lobby', '@qwen', 'hello')
  await rhea(stage, 'tools', 'lobby', 'on')
  return stage.models.requests.at(-1)!.body.tools![0]!.function
}
const wordsOf = (...words: readonly string[]) => ({ arguments: words })

const requirements: Requirements = [
  [
    'every .tool file of a configured directory becomes a tool when the server starts',
    async () => {
      expect(await ids()).toEqual(expect.arrayContaining(['Brackets', 'Parts', 'Peek']))
    },
  ],
  [
    'Read, Grep, Glob, LS, WebFetch, WebSearch and TodoWrite are bundled wrapped tools',
    async () => {
      const names = ['Read', 'Grep', 'Glob', 'LS', 'WebFetch', 'WebSearch', 'TodoWrite']
      expect(await ids()).toEqual(expect.arrayContaining(names))
      expect(await run('Read', { file_path: 'a.txt' })).toBe('needle\n')
      expect(await run('Grep', wordsOf('-rn', 'needle', '.'))).toBe('./a.txt:1:needle\n')
      expect(await run('Glob', wordsOf('.', '-name', '*.txt'))).toBe('./a.txt\n')
      expect(await run('LS', wordsOf('.'))).toBe('a.txt\n')
    },
  ],
  [
    'a .tool file with only a name and a base is an alias with the schema of the base',
    async () => {
      expect(await run('Peek', { file_path: 'a.txt' })).toBe('needle\n')
      expect(await sent('Peek')).toMatchObject({
        name: 'Peek',
        parameters: { required: ['file_path'] },
      })
    },
  ],
  [
    'a model gets the description and the parameter schema of a .tool file',
    async () => {
      expect(await sent('Brackets')).toEqual({
        name: 'Brackets',
        description: 'Puts each of its words in brackets.\n\nBlank lines in a description are kept.',
        parameters: {
          type: 'object',
          properties: {
            arguments: { type: 'array', items: { type: 'string' }, description: 'The words, in order.' },
          },
          required: ['arguments'],
        },
      })
    },
  ],
  [
    'the schema of a .tool file includes its own types with their properties',
    async () => {
      const guest = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
      const properties = { greeting: { type: 'string' }, times: { type: 'integer' }, guest }
      expect(await sent('Parts')).toMatchObject({ parameters: { properties, required: ['greeting'] } })
    },
  ],
  [
    'a call of a wrapped tool runs its command, and the model gets the result',
    async () => {
      stage.models.play(calls('Brackets', wordsOf('one', 'two')), says('fine'))
      await rhea(stage, 'ask', 'lobby', '@qwen', 'go')
      expect(lastReply(stage)).toBe('[one][two]')
    },
  ],
  [
    'an argument with shell characters reaches the program as one word',
    async () => {
      expect(await run('Brackets', wordsOf('two words', '*.txt', '$(id)', '; ls', '"'))).toBe(
        '[two words][*.txt][$(id)][; ls]["]\n',
      )
    },
  ],
  [
    'a .tool file without @name or @wrapped is logged with its path and omitted',
    async () => {
      expect(logged('broken/NoName').join()).toContain('@name is missing')
      expect(logged('broken/NoBase').join()).toContain('@wrapped is missing')
      expect(await ids()).not.toContain('Lonely')
    },
  ],
  [
    'a .tool file with a @command but no title or description is logged and omitted',
    async () => {
      expect(logged('broken/Half').join()).toMatch(/needs a @title.*needs a description/)
      expect(await ids()).not.toContain('Half')
    },
  ],
  [
    'the first of two .tool files with one @name is used, and the other is logged',
    async () => {
      expect(await run('Peek', { file_path: 'a.txt' })).toBe('needle\n')
      expect(logged('tools/PeekTwice').join()).toContain('Peek is already defined in')
    },
  ],
  [
    'a .tool file with a missing base is logged and omitted',
    async () => {
      expect(logged('broken/Ghost').join()).toContain('there is no tool called ectoplasm')
      expect(await ids()).not.toContain('Ghost')
    },
  ],
  [
    'a .tool file whose base cannot be wrapped is logged and omitted',
    async () => {
      expect(logged('broken/Abacus').join()).toContain('calculator cannot be wrapped')
      expect(await ids()).not.toContain('Abacus')
    },
  ],
  [
    'a call of a wrapped tool without arguments is refused with the missing parameter',
    async () => {
      expect(await refused('Brackets', {})).toBe(
        'ERROR: Brackets: arguments is required (an array of strings)\n',
      )
    },
  ],
  [
    'a call of a wrapped tool is refused if its arguments are not a list of texts',
    async () => {
      expect(await refused('Brackets', { arguments: 'one two' })).toBe(
        'ERROR: Brackets: arguments must be an array of strings, got "one two"\n',
      )
      expect(await refused('Brackets', { arguments: ['one', 2] })).toBe(
        'ERROR: Brackets: arguments[1] must be a string, got 2\n',
      )
    },
  ],
  [
    'the arguments of a wrapped web_fetch go to its parameters in their order',
    async () => {
      expect(await refused('Page', wordsOf('http://192.0.2.1/', 'xml'))).toContain(
        "ERROR: Page: format must be one of 'markdown'",
      )
      expect(await refused('Page', wordsOf('a', 'b', 'c'))).toContain(
        'ERROR: Page: arguments are url, format, in this order',
      )
    },
  ],
  [
    'a .tool file with a parameter that its base cannot take is logged and omitted',
    async () => {
      expect(logged('broken/Astray').join()).toContain('web_fetch cannot take @param adress {string}')
      expect(await ids()).not.toContain('Astray')
    },
  ],
]

tryAll(requirements)
