import { execa } from 'execa'
import { sshArguments, type SshTarget } from './ssh.ts'

/** Gives what an OpenSSH client is told to run its command on a connection that is there already. */
export type SharedConnections = (target: SshTarget) => Promise<readonly string[]>

/**
 * One connection for all commands of a person with a key at a server, opened by the first (ControlMaster of OpenSSH). A login costs more
 * processor time, on both sides, than most commands. A connection that ended is not opened again: a command then makes its own. `dir` is
 * for their sockets. They end with the server.
 */
export function createSharedConnections(dir: string): SharedConnections {
  const opened = new Map<string, Promise<readonly string[]>>()
  return (target) => {
    const { user, port, key } = target
    const name = JSON.stringify([user, port, key])
    const options = opened.get(name) ?? open(target, `${dir}/shared-${opened.size}`)
    opened.set(name, options)
    return options
  }
}

/** What cannot be opened is not shared: the command itself shows why. */
async function open(target: SshTarget, socket: string): Promise<readonly string[]> {
  const path = ['-o', `ControlPath=${socket}`]
  const options = [...path, '-f', '-N', '-M', ...(target.options ?? [])]
  const { exitCode } = await execa('ssh', sshArguments({ ...target, options }, []), {
    reject: false,
    stdio: 'ignore',
  })
  return exitCode === 0 ? path : []
}
