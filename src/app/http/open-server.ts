import type { HttpServer } from '../../adapters/http/server.ts'
import type { ReadableMeter } from '../../adapters/metrics/meter.ts'
import type { SshServer } from '../../adapters/ssh/server.ts'
import type { Activity } from '../activity.ts'
import type { Agents } from '../agents/agents.ts'
import type { AppContext, Overrides } from '../context.ts'
import type { CurrentConfig } from '../current-config.ts'
import type { RoomsAndPeople } from '../rooms-and-people.ts'

/** The HTTP server, whose code is loaded where it is used. It does not listen yet. */
export async function openHttpServer(
  current: CurrentConfig,
  { comingIn, rooms, tap }: RoomsAndPeople,
  activity: Activity,
  { server, readable: meter, ...rest }: HttpNeeds,
): Promise<HttpServer> {
  const { openHttp } = await import('./open-http.ts')
  tap((entry) => meter.entry(entry, rooms.everywhere.peopleIn(entry.room)))
  const { tokens, clients } = comingIn
  return openHttp(current, { ...rest, meter, tokens, clients, activity, ssh: server })
}

/** What HTTP needs besides rooms, people and their activity. */
interface HttpNeeds {
  readonly context: AppContext
  readonly readable: ReadableMeter
  readonly server: SshServer
  readonly agents: Agents
  readonly overrides: Overrides
}
