import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { paths } from '../../../../src/app/paths.ts'
import { temporaryDir } from '../../../support/storage.ts'

const driver = Number(process.versions['napi']) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'
const sentence = new RegExp(
  `${driver}, which reads and writes the database, cannot be loaded by Node v\\S+ \\(.+\\); .*install sshawl again`,
)

/** The built program in a directory of its own, with every package but the drivers. */
function installWithoutDrivers(dir: string): string {
  const modules = join(dir, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync(join(paths.root, 'node_modules'))) {
    if (!name.startsWith('better-sqlite3'))
      symlinkSync(join(paths.root, 'node_modules', name), join(modules, name))
  }
  for (const part of ['package.json', 'dist', 'lua', 'migrations', 'wrapped-tools'])
    cpSync(join(paths.root, part), join(dir, part), {
      recursive: true,
      filter: (file) => !file.endsWith('/dist/types'),
    })
  return modules
}

const run = (dir: string, ...args: readonly string[]) =>
  execa('node', [join(dir, 'dist/main.js'), ...args, '--data', join(dir, 'data')], { reject: false })

test('where the driver is not installed one sentence says what to do, and what needs no database works', async () => {
  using dir = temporaryDir()
  installWithoutDrivers(dir.path)
  const serve = await run(dir.path, 'serve', '--listen', '127.0.0.1:0')
  expect(serve.exitCode).toBe(1)
  expect(serve.stderr).toMatch(sentence)
  expect(serve.stderr).toContain(`(Cannot find module '${driver}'`)
  expect(serve.stderr.split('\n')).toHaveLength(1)
  const version = await run(dir.path, '--version')
  expect(version).toMatchObject({ exitCode: 0, stderr: '' })
})

test('where the driver has no binary, sshawl check says so and goes on checking', async () => {
  using dir = temporaryDir()
  const modules = installWithoutDrivers(dir.path)
  cpSync(join(paths.root, 'node_modules', driver), join(modules, driver), {
    recursive: true,
    filter: (file) => !/[/](build|deps|src)$/.test(file) && !file.endsWith('.node'),
  })
  const check = await run(dir.path, 'check')
  expect(check.exitCode).toBe(1)
  expect(check.stdout).toMatch(sentence)
  expect(check.stdout).toMatch(/^sandbox: /m)
})
