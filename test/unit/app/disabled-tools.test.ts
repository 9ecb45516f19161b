import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unknownDisabled } from '../../../src/app/disabled-tools.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { temporaryDir } from '../../support/storage.ts'

test('what an MCP server of the config may have can be disabled; another id is a mistake', async () => {
  using dir = temporaryDir()
  const file = join(dir.path, 'sshawl.toml')
  const ids = ['holler_sample', 'hollar_sample', 'holler', 'Grep']
  const text = `[[mcp]]\nname = "holler"\nurl = "http://h"\n\n[tools]\ndisabled = ${JSON.stringify(ids)}\n`
  writeFileSync(file, text)
  const config = loadConfig({ verb: 'check', flags: { config: file } }, { HOME: dir.path })
  expect(await unknownDisabled(config)).toEqual([
    `${file}:6: tools.disabled: there is no tool called hollar_sample`,
    `${file}:6: tools.disabled: there is no tool called holler`,
  ])
})
