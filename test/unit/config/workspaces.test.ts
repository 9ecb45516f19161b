import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/config.ts'
import { ConfigError } from '../../../src/config/environment.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sshawl-mapped-'))
  for (const name of ['dev', 'data/rooms/den/files']) mkdirSync(join(dir, name), { recursive: true })
  symlinkSync('data', join(dir, 'link'))
  writeFileSync(join(dir, 'file'), '')
})
afterAll(() => rmSync(dir, { recursive: true }))

function load(workspaces: string, data = join(dir, 'data')) {
  const file = join(dir, 'sshawl.toml')
  writeFileSync(file, `[sandbox]\nworkspaces = { ${workspaces.replaceAll('DIR', dir)} }\n`)
  return loadConfig({ verb: 'check', flags: { config: file, data } }, { HOME: dir })
}

describe('[sandbox] workspaces', () => {
  test('gives rooms the directories that an admin names', () => {
    expect(load('dev = "DIR/dev/../dev/"').sandbox.workspaces).toEqual(new Map([['dev', join(dir, 'dev')]]))
    expect(load('').sandbox.workspaces.size).toBe(0)
  })

  test.each([
    ['dev = "srv"', /sshawl\.toml:2: sandbox\.workspaces\.dev: write an absolute path$/],
    ['dev = "/"', /sshawl\.toml:2: sandbox\.workspaces\.dev: the whole machine is no workspace/],
    ['dev = "/tmp/.."', /sshawl\.toml:2: sandbox\.workspaces\.dev: the whole machine is no workspace/],
    [
      'dev = "DIR/none"',
      /sshawl\.toml:2: sandbox\.workspaces\.dev: there is no such directory; make it first$/,
    ],
    ['dev = "DIR/file"', /sshawl\.toml:2: sandbox\.workspaces\.dev: there is no such directory/],
    ['Dev = "DIR/dev"', /sshawl\.toml:2: sandbox\.workspaces.*/],
    ['dev = 5', /sshawl\.toml:2: sandbox\.workspaces\.dev: /],
    [
      'dev = "DIR"',
      /sandbox\.workspaces\.dev: \S+ and the data directory \S+ overlap; choose another directory$/,
    ],
    ['dev = "DIR/data"', /sshawl\.toml:2: sandbox\.workspaces\.dev: .* overlap/],
    ['dev = "DIR/link"', /overlap/],
    ['dev = "DIR/data/rooms/den/files"', /overlap/],
  ])('refuses %s', (workspaces, message) => {
    expect(() => load(workspaces)).toThrow(ConfigError)
    expect(() => load(workspaces)).toThrow(message)
  })

  test('sees the overlap with a data directory that is not there yet', () => {
    expect(() => load('dev = "DIR/dev"', join(dir, 'dev', 'new', 'data'))).toThrow(/overlap/)
  })
})
