import { existsSync, readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { probeSandbox } from '../../src/adapters/sandbox/probe.ts'

/** What a machine may lack. The tests that need it are skipped there, and counted. */
export type Program =
  | 'bwrap'
  | 'cc'
  | 'chromium'
  | 'dropbear'
  | 'haproxy'
  | 'llama-server'
  | 'nats'
  | 'paramiko'
  | 'postgres'
  | 'putty'
  | 'ssh-audit'
  | 'strace'

const DEBIAN_POSTGRES = '/usr/lib/postgresql'

const sandbox = await probeSandbox()

/**
 * What a missing program is for, why it cannot be used here and how to get it; undefined where it can be
 * used.
 */
const reasons: Readonly<Record<Program, string | undefined>> = {
  bwrap: sandbox.works ? undefined : `the sandbox around commands: ${sandbox.reason}`,
  cc: isInstalled('cc')
    ? undefined
    : 'the C compiler: it is not installed (Debian, Ubuntu: apt install gcc libc6-dev)',
  chromium: isInstalled('chromium')
    ? undefined
    : 'in which pages are looked at: it is not installed (Debian, Ubuntu: apt install chromium)',
  dropbear: isInstalled('dbclient')
    ? undefined
    : 'the SSH client: it is not installed (Debian, Ubuntu: apt install dropbear-bin)',
  nats: isInstalled('nats-server')
    ? undefined
    : 'the message server: it is not installed (Debian, Ubuntu: apt install nats-server)',
  haproxy: isInstalled('haproxy')
    ? undefined
    : 'the load balancer: it is not installed (Debian, Ubuntu: apt install haproxy)',
  'llama-server':
    llamaServer() === undefined
      ? 'a server of language models: it is not installed (Debian sid: apt install llama.cpp-tools), and LLAMA_SERVER names none'
      : undefined,
  paramiko:
    isInstalled('debian-python3') || existsSync('/usr/lib/python3/dist-packages/paramiko')
      ? undefined
      : 'the SSH client in Python: it is not installed (Debian, Ubuntu: apt install python3-paramiko)',
  putty: isInstalled('plink')
    ? undefined
    : 'the SSH client plink: it is not installed (Debian, Ubuntu: apt install putty-tools)',
  postgres:
    postgresPrograms() === undefined
      ? 'the database server: it is not installed (Debian, Ubuntu: apt install postgresql)'
      : undefined,
  'ssh-audit': isInstalled('ssh-audit')
    ? undefined
    : 'which examines an SSH server: it is not installed (Debian, Ubuntu: apt install ssh-audit)',
  strace: straceReason(),
}

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

function straceReason(): string | undefined {
  if (!isInstalled('strace'))
    return 'which watches system calls: it is not installed (Debian, Ubuntu: apt install strace)'
  return process.getuid?.() === 0
    ? undefined
    : 'which watches system calls: only root may watch other processes'
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
