import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toolNameProblems } from '../../../../src/server/tools/tool-words.ts'
import { loadToolFiles } from '../../../../src/tools/wrapped/load.ts'
import { loadConfig, type Config } from '../../../../src/server/config/config.ts'
import { temporaryDir } from '../../../support/storage.ts'

function load(dir: string, text: string): { file: string; config: Config } {
  const file = join(dir, 'sshawl.toml')
  writeFileSync(file, text)
  return { file, config: loadConfig({ verb: 'check', flags: { config: file } }, { HOME: dir }) }
}

test('a tool of a configured or connected MCP server can be disabled, and an unknown id is refused', async () => {
  using dir = temporaryDir()
  const ids = ['holler_sample', 'gen_echo', 'holler', 'Grep', 'run_comand', 'look']
  const { file, config } = load(
    dir.path,
    `[[mcp]]\nname = "holler"\nurl = "http://h"\n\n[tools]\ndisabled = ${JSON.stringify(ids)}\n`,
  )
  const unknown = (name: string): string => `${file}:6: tools.disabled: there is no tool called ${name}`
  const always = [
    unknown('holler'),
    unknown('run_comand; did you mean run_command?'),
    unknown('look; did you mean sshawl_look?'),
  ]
  expect(await toolNameProblems(config)).toEqual(always)
  expect(await toolNameProblems(config, { connected: ['gen'] })).toEqual(always)
  expect(await toolNameProblems(config, { connected: [] })).toEqual([unknown('gen_echo'), ...always])
})

test('an MCP server with the name of a tool is refused with its line', async () => {
  using dir = temporaryDir()
  const names = ['run_command', 'look', 'find_tools', 'ls', 'mine', 'holler']
  const servers = names.map((name) => `[[mcp]]\nname = "${name}"\nurl = "http://h"\n`).join('')
  mkdirSync(join(dir.path, 'tools'))
  const tool =
    'Says hello.\n\n@title Mine\n@name Mine\n@wrapped run_command\n@command echo {word}\n@param word {string} [required] What.\n'
  writeFileSync(join(dir.path, 'tools/Mine.tool'), tool)
  const { file, config } = load(dir.path, `${servers}[tools]\ndirs = ["tools"]\n`)
  const rule = (name: string, at: number): string =>
    `${file}:${at * 3 + 2}: mcp.name: a tool is called ${name}, so a scope that names it would let in all tools of the server; give the server another name`
  const loaded = (await loadToolFiles(config.tools.dirs)).definitions.map(({ name }) => name)
  expect(loaded).toEqual(['Mine'])
  expect(await toolNameProblems(config)).toEqual(names.slice(0, 5).map(rule))
})
