import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configHash } from '../../../src/server/cluster.ts'
import { loadConfig } from '../../../src/server/config/config.ts'
import { temporaryDir } from '../../support/storage.ts'

test('the hash of a config changes with its .tool files, and not with hidden or other files beside them', async () => {
  using dir = temporaryDir()
  const file = join(dir.path, 'sshawl.toml')
  writeFileSync(file, '[tools]\ndirs = ["."]\n')
  const config = loadConfig({ verb: 'check', flags: { config: file } }, { HOME: dir.path })
  const hash = (): Promise<string> => configHash(config, [])
  const hashWith = (name: string): Promise<string> => {
    writeFileSync(join(dir.path, name), '@wrapped read_file\n')
    return hash()
  }
  const before = await hash()
  for (const name of ['._a.tool', '.a.tool', 'a.tool~']) expect(await hashWith(name)).toBe(before)
  expect(await hashWith('a.tool')).not.toBe(before)
})
