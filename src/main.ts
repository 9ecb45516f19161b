#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { backup } from './app/backup.ts'
import { check } from './app/check.ts'
import { loadConfig } from './config/config.ts'
import { HELP, readCommandLine, type CommandLine } from './config/flags.ts'
import { ConfigError } from './config/problem.ts'
import { paths } from './app/paths.ts'
import { reload } from './app/reload-command.ts'
import { serve } from './app/serve.ts'

/** Runs what the command line says; resolves to the exit status. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    return await run(readCommandLine(argv))
  } catch (error) {
    process.stderr.write(`sshawl: ${(error as Error).message}\n`)
    return error instanceof ConfigError ? 2 : 1
  }
}

async function run(line: CommandLine): Promise<number> {
  switch (line.verb) {
    case 'serve':
      return serve(line)
    case 'check':
      return check(line)
    case 'reload':
      return reload(line)
    case 'backup':
      return backup(loadConfig(line), line.target)
    case 'help':
      return print(HELP)
    case 'version':
      return print(`${version()}\n`)
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

const version = (): string =>
  (JSON.parse(readFileSync(paths.packageJson, 'utf8')) as { version: string }).version

process.exitCode = await main(process.argv.slice(2))
