#!/usr/bin/env sh
import { loadConfig } from './server/config/config.ts'
import { HELP, readCommandLine, type CommandLine } from './server/config/flags.ts'
import { ConfigError } from './server/config/environment.ts'
import { StorageError } from './words/errors.ts'
import { version } from './base/paths.ts'
import { errorMessage } from './base/errors.ts'

/** Resolves to the exit status. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    return await run(readCommandLine(argv))
  } catch (error) {
    process.stderr.write(
      `sshawl: ${error instanceof StorageError ? error.forOperators : errorMessage(error)}\n`,
    )
    return error instanceof ConfigError ? 2 : 1
  }
}

/** Loads only the modules that a command needs. */
async function run(line: CommandLine): Promise<number> {
  switch (line.verb) {
    case 'serve':
      // SIGHUP ends a process by default, and the handler is loaded a moment later.
      process.on('SIGHUP', () => undefined)
      // Without this, `fetch` keeps the timings of 250 requests.
      performance.setResourceTimingBufferSize(0)
      return (await import('./server/serve.ts')).serve(line)
    case 'check':
      // Exits explicitly, because a module's timers could keep this process alive.
      return process.exit(await (await import('./server/operator/check.ts')).check(line))
    case 'audit':
      return (await import('./server/operator/audit.ts')).audit(loadConfig(line), line.json)
    case 'reload':
      return (await import('./server/operator/commands.ts')).reload(line)
    case 'backup':
      return (await import('./server/operator/commands.ts')).backup(loadConfig(line), line.target)
    case 'restore':
      return (await import('./server/operator/commands.ts')).restore(loadConfig(line), line.target)
    case 'copy':
      return (await import('./server/operator/commands.ts')).copy(line)
    case 'mcp import':
      return (await import('./server/mcp/import.ts')).importMcp(line)
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

process.exitCode = await main(process.argv.slice(2))
