/**
 * proxies/ finds out whose connection a load balancer passes on. It must not know SSH beyond its first line, nor people
 * or keys: it leads from a socket to the address of the client.
 */
import { BlockList, isIPv6, type Socket } from 'node:net'
import type { Log } from '../../../chat/ports.ts'
import { errorMessage } from '../../../lib/errors.ts'
import type { SshLimits } from '../limits.ts'
import { Quota } from '../../../lib/quota.ts'
import { readHeader } from './read-header.ts'

/** What connections from proxies are received with. */
export interface ProxiesOptions {
  /** Networks (`10.0.0.0/8`) and addresses. Asked for each connection. */
  readonly networks: () => readonly string[]
  readonly limits: Pick<SshLimits, 'connections' | 'login_timeout_s'>
  readonly log: Log
}

/** The proxies that connections may come through. */
export interface Proxies {
  /** Whether connections from there begin with a header. */
  include(address: string): boolean
  /**
   * Calls `serve` with the address of the client, once the header has told it. Otherwise the connection is closed: when the
   * header is wrong or late, and when the proxy only wants to see that the server is there.
   */
  receive(socket: Socket, proxy: string, serve: (client: string) => void): void
}

export function createProxies({ networks, limits, log }: ProxiesOptions): Proxies {
  /**
   * Before their header. Not fewer at once than connections in all: when a proxy starts anew, all who were behind it come
   * back at once, and many are accepted before the first is read.
   */
  const withoutHeader = new Quota(() => limits.connections)
  const listOf = remembered(blockList)
  return {
    include: (address) => listOf(networks()).check(address, isIPv6(address) ? 'ipv6' : 'ipv4'),
    receive(socket, proxy, serve) {
      const drop = (why: string): void => {
        log.info({ address: proxy, why }, 'connection dropped')
        socket.destroy()
      }
      const release = withoutHeader.take('')
      if (!release) return drop('too many connections wait for their PROXY header')
      socket.once('close', release)
      readHeader(socket, limits.login_timeout_s * 1_000).then(
        ({ isCheck, client = proxy }) => {
          if (isCheck) return answerCheck(socket)
          release()
          serve(client)
        },
        (error: unknown) => {
          if (!socket.destroyed) drop(errorMessage(error))
        },
      )
    },
  }
}

/** So that a check can tell a server of SSH from anything else that takes connections. RFC 4253, section 4.2. */
function answerCheck(socket: Socket): void {
  socket.write('SSH-2.0-sshawl\r\n')
  socket.destroySoon()
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of networks) {
    const [address = '', length] = text.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (length === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(length), family)
  }
  return list
}

/** Makes it once for each list: a reload brings another one. */
function remembered(
  make: (networks: readonly string[]) => BlockList,
): (networks: readonly string[]) => BlockList {
  let last: { readonly networks: readonly string[]; readonly list: BlockList } | undefined
  return (networks) => {
    if (last?.networks !== networks) last = { networks, list: make(networks) }
    return last.list
  }
}
