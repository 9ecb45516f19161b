import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../src/server/config/config.ts'
import { ConfigError } from '../../../../src/server/config/environment.ts'

const dir = mkdtempSync(join(tmpdir(), 'sshawl-mapped-'))
for (const name of ['dev', 'data/rooms/den/files']) mkdirSync(join(dir, name), { recursive: true })
symlinkSync('data', join(dir, 'link'))
writeFileSync(join(dir, 'file'), '')
afterAll(() => rmSync(dir, { recursive: true }))

function load(workspaces: string, data = join(dir, 'data')) {
  const file = join(dir, 'sshawl.toml')
  writeFileSync(file, `[sandbox]\nworkspaces = { ${workspaces.replaceAll('DIR', dir)} }\n`)
  return loadConfig({ verb: 'check', flags: { config: file, data } }, { HOME: dir })
}

test('[sandbox] workspaces gives rooms the directories that an admin names', () => {
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
])('[sandbox] workspaces refuses %s', (workspaces, message) => {
  expect(() => load(workspaces)).toThrow(ConfigError)
  expect(() => load(workspaces)).toThrow(message)
})

test('a workspace that overlaps a missing data directory is refused', () => {
  expect(() => load('dev = "DIR/dev"', join(dir, 'dev', 'new', 'data'))).toThrow(/overlap/)
})

describe('the directory of all rooms', () => {
  let dir: string
  beforeAll(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'sshawl-rooms-')))
    for (const name of ['shared/rooms', 'shared/dev', 'data', 'open'])
      mkdirSync(join(dir, name), { recursive: true })
    chmodSync(join(dir, 'open'), 0o777)
    symlinkSync('shared/rooms', join(dir, 'link'))
    symlinkSync('data', join(dir, 'to-data'))
    writeFileSync(join(dir, 'file'), '')
  })
  afterAll(() => rmSync(dir, { recursive: true }))

  function load(lines: string) {
    const file = join(dir, 'sshawl.toml')
    writeFileSync(file, `[sandbox]\n${lines.replaceAll('DIR', dir)}\n`)
    return loadConfig({ verb: 'check', flags: { config: file, data: join(dir, 'data') } }, { HOME: dir })
  }

  test('rooms_dir is a part of the data directory unless the config names another one', () => {
    expect(load('').sandbox.rooms_dir).toBe(join(dir, 'data', 'rooms'))
    for (const path of ['shared/rooms', 'shared/dev/../rooms/', 'link'])
      expect(load(`rooms_dir = "DIR/${path}"`).sandbox.rooms_dir).toBe(join(dir, 'shared/rooms'))
  })

  test.each([
    ['rooms_dir = "rooms"', /sshawl\.toml:2: sandbox\.rooms_dir: write an absolute path$/],
    ['rooms_dir = ""', /write an absolute path$/],
    ['rooms_dir = 5', /sshawl\.toml:2: sandbox\.rooms_dir: /],
    [
      'rooms_dir = "DIR/none"',
      /sshawl\.toml:2: sandbox\.rooms_dir: there is no directory \S+\/none; make it first/,
    ],
    ['rooms_dir = "DIR/file"', /there is no directory/],
    ['rooms_dir = "DIR/file/x"', /there is no directory/],
    ['rooms_dir = "DIR/open"', /everybody on this machine can write to \S+\/open; run: chmod o-w \S+\/open$/],
    ['rooms_dir = "DIR/data"', /\S+\/data and the data directory \S+ overlap; choose another directory$/],
    ['rooms_dir = "DIR/to-data"', /overlap/],
    ['rooms_dir = "DIR"', /overlap/],
    ['rooms_dir = "/"', /overlap/],
    [
      'rooms_dir = "DIR/shared"\nworkspaces = { dev = "DIR/shared/dev" }',
      /sshawl\.toml:2: \S+ \S+ and \S+\/dev, which dev has by sandbox\.workspaces, overlap/,
    ],
    ['rooms_dir = "DIR/shared/rooms"\nworkspaces = { dev = "DIR/shared" }', /overlap/],
  ])('[sandbox] refuses %s', (lines, message) => {
    expect(() => load(lines)).toThrow(ConfigError)
    expect(() => load(lines)).toThrow(message)
  })
})
