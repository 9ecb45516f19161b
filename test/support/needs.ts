import { existsSync, readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { probeSandbox } from '../../src/sandbox/probe.ts'

const DEBIAN_POSTGRES = '/usr/lib/postgresql'

const sandbox = await probeSandbox()

const hasParamiko = isInstalled('debian-python3') || existsSync('/usr/lib/python3/dist-packages/paramiko')

/**
 * What a machine may lack: what each program is for, and why it cannot be used here or how to get it; undefined if
 * it can be used. The tests that need it are skipped there, and counted.
 */
const reasons = {
  bwrap: sandbox.works ? undefined : `the sandbox around commands: ${sandbox.reason}`,
  cc: unless(isInstalled('cc'), 'the C compiler', 'gcc libc6-dev'),
  chromium: unless(isInstalled('chromium'), 'in which pages are looked at', 'chromium'),
  dropbear: unless(isInstalled('dbclient'), 'the SSH client', 'dropbear-bin'),
  nats: unless(isInstalled('nats-server'), 'the message server', 'nats-server'),
  haproxy: unless(isInstalled('haproxy'), 'the load balancer', 'haproxy'),
  'llama-server':
    llamaServer() === undefined
      ? 'a server of language models: it is not installed (Debian sid: apt install llama.cpp-tools), and LLAMA_SERVER names none'
      : undefined,
  paramiko: unless(hasParamiko, 'the SSH client in Python', 'python3-paramiko'),
  putty: unless(isInstalled('plink'), 'the SSH client plink', 'putty-tools'),
  postgres: unless(postgresPrograms() !== undefined, 'the database server', 'postgresql'),
  'ssh-audit': unless(isInstalled('ssh-audit'), 'which examines an SSH server', 'ssh-audit'),
  strace:
    isInstalled('strace') && process.getuid?.() !== 0
      ? 'which watches system calls: only root may watch other processes'
      : unless(isInstalled('strace'), 'which watches system calls', 'strace'),
} satisfies Readonly<Record<string, string | undefined>>

export type Program = keyof typeof reasons

/** Whether tests that need the program are to be skipped: `test.skipIf(lacks('strace'))`. */
export const lacks = (program: Program): boolean => reasons[program] !== undefined

/** A line for each program that is missing, for the end of a run. */
export const missing: readonly string[] = Object.entries(reasons).flatMap(([program, reason]) =>
  reason === undefined ? [] : [`SKIPPED what needs ${program}, ${reason}`],
)

/** Servers whose commands are not the subject of the test run them without a sandbox where there is none. */
export const sandboxConfig = `[sandbox]\nmode = "${sandbox.works ? 'bubblewrap' : 'none'}"\n`

/** Throws one line if there is no OpenSSH client: most tests of the server are meaningless without it. */
export function requireSsh(): void {
  if (!isInstalled('ssh') || !isInstalled('ssh-keygen'))
    throw new Error(
      'the tests need the OpenSSH client, ssh and ssh-keygen (Debian, Ubuntu: apt install openssh-client)',
    )
}

function unless(isThere: boolean, what: string, packages: string): string | undefined {
  return isThere ? undefined : `${what}: it is not installed (Debian, Ubuntu: apt install ${packages})`
}

/**
 * The directory of PostgreSQL's programs, which Debian has not in the path; undefined where they are not
 * installed.
 */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).map(Number) : []
  const newest = join(DEBIAN_POSTGRES, String(Math.max(0, ...versions)), 'bin')
  if (existsSync(join(newest, 'initdb'))) return newest
  const inPath = fileOf('initdb')
  return inPath && dirname(inPath)
}

/** The program of llama.cpp's server; undefined if there is none. */
export function llamaServer(): string | undefined {
  return process.env['LLAMA_SERVER'] ?? fileOf('llama-server')
}

/** The file of a program; undefined where it is not installed. */
export function fileOf(program: string): string | undefined {
  const dirs = (process.env['PATH'] ?? '').split(delimiter)
  return dirs.map((dir) => join(dir, program)).find((file) => existsSync(file))
}

/** Debian's Python, which has Debian's modules. test/support/clients.sh brings that of another Debian. */
export function debianPython(): string {
  return fileOf('debian-python3') ?? '/usr/bin/python3'
}

function isInstalled(program: string): boolean {
  return fileOf(program) !== undefined
}
