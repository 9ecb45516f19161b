import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSshHome, ssh, type SshHome } from '../support/ssh.ts'
import { debianPython, lacks } from '../support/needs.ts'
import { handlerWith, startSshServer, type SshFixture } from '../support/ssh-server.ts'

let home: SshHome
let key: string
let server: SshFixture
beforeAll(async () => {
  home = await createSshHome()
  key = await home.key('ann', ['-t', 'ed25519'])
  server = await startSshServer(
    handlerWith({
      async exec(_person, _line, pipe) {
        await pipe.out('hello\n')
        return 7
      },
    }),
  )
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

/**
 * Runs a client to its end. What it says on standard error is not looked at: each has its own words for a new
 * host.
 */
async function run(command: string, args: readonly string[]) {
  const options = { reject: false, timeout: 30_000, env: { HOME: home.dir }, stdin: 'ignore' } as const
  const { stdout, exitCode } = await execa(command, args, options)
  return { stdout, exitCode }
}

const WELCOME = { stdout: 'hello', exitCode: 7 }

test('the OpenSSH client of this machine gets no warning and agrees on the best exchange that it has', async () => {
  const { stdout: offered } = await execa('ssh', ['-Q', 'kex'])
  const target = { user: 'ann', port: server.port, key, options: ['-v'] }
  const { stdout, stderr, exitCode } = await ssh(target, ['x'])
  expect([stdout, exitCode]).toEqual(['hello\n', 7])
  const best = offered.includes('mlkem768x25519') ? 'mlkem768x25519-sha256' : 'curve25519-sha256'
  expect(stderr).toContain(`kex: algorithm: ${best}`)
  expect(stderr).not.toMatch(/quantum/)
})

test('a client that wants a port forwarded reads that nothing is', async () => {
  const target = { user: 'ann', port: server.port, key, options: ['-W', 'localhost:80'] }
  const { stderr, exitCode } = await ssh(target, [])
  expect(stderr).toContain('sshawl forwards nothing')
  expect(exitCode).toBeGreaterThan(0)
})

test.skipIf(lacks('dropbear'))(
  'the client of dropbear gets in, whatever exchange it guesses first',
  async () => {
    const own = join(home.dir, 'dropbear')
    await execa('dropbearconvert', ['openssh', 'dropbear', key, own])
    const args = ['-y', '-y', '-i', own, '-p', String(server.port), 'ann@127.0.0.1', 'x']
    expect(await run('dbclient', args)).toEqual(WELCOME)
  },
)

test.skipIf(lacks('putty'))('plink gets in', async () => {
  const own = join(home.dir, 'ann.ppk')
  await execa('puttygen', [key, '-o', own])
  const { stdout: hostKey } = await execa('ssh-keyscan', ['-p', String(server.port), '127.0.0.1'])
  const { stdout: print } = await execa('ssh-keygen', ['-lf', '-'], { input: hostKey })
  const args = ['-batch', '-hostkey', print.split(' ')[1]!, '-i', own, '-P', String(server.port)]
  expect(await run('plink', [...args, 'ann@127.0.0.1', 'x'])).toEqual(WELCOME)
})

const PARAMIKO = `
import sys, paramiko
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
client.connect('127.0.0.1', int(sys.argv[1]), 'ann', key_filename=sys.argv[2])
_, out, _ = client.exec_command('x')
print(out.read().decode(), end='')
sys.exit(out.channel.recv_exit_status())
`

test.skipIf(lacks('paramiko'))('paramiko gets in', async () => {
  const args = ['-c', PARAMIKO, String(server.port), key]
  expect(await run(debianPython(), args)).toEqual(WELCOME)
})
