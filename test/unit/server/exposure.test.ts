import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exposureOf } from '../../../src/server/http.ts'
import { loadConfig } from '../../../src/server/config/config.ts'
import { temporaryDir } from '../../support/storage.ts'

/** What an operator is told of HTTP at this address, behind these proxies. */
function told(http: string, proxies: readonly string[]): string | undefined {
  using dir = temporaryDir()
  const config = join(dir.path, 'sshawl.toml')
  writeFileSync(config, `[http]\nproxies = ${JSON.stringify(proxies)}\n`)
  return exposureOf(loadConfig({ verb: 'serve', flags: { http, config } }, { HOME: dir.path }).http)
}

test.each([
  ['0.0.0.0:0', [], true],
  ['0.0.0.0:0', ['127.0.0.1'], true],
  ['0.0.0.0:0', ['10.0.0.7'], false],
  ['127.0.0.1:0', [], false],
])('HTTP at %s with the proxies %j is reported as exposed: %s', (http, proxies, isExposed) => {
  expect(told(http, proxies) !== undefined).toBe(isExposed)
})
