import type { McpServerConfig } from '../config.ts'
import type { ConnectionOptions, McpConnection } from './connection.ts'
import { createEventsTransport, createHttpTransport, wantsEvents } from './http.ts'
import { open } from './open.ts'
import { greet } from './revisions/hello.ts'
import { createStdioTransport } from './stdio.ts'

/** Connects to a server, and says hello, in the newest way that it knows. Rejects with an `Error` whose message ends a sentence. */
export async function connect(config: McpServerConfig, options: ConnectionOptions): Promise<McpConnection> {
  const { reach } = config
  const [unset] = reach.unset ?? []
  if (unset !== undefined) throw new Error(`the environment variable ${unset} is not set`)
  return await greet(async (hello) => {
    if ('command' in reach) {
      const transport = createStdioTransport(() => options.launch(reach, config.name), options.slowed)
      return await open(transport, hello, config, options)
    }
    try {
      return await open(await createHttpTransport(reach, options), hello, config, options)
    } catch (error) {
      if (!(await wantsEvents(error))) throw error
      return await open(await createEventsTransport(reach, options), 'older', config, options)
    }
  })
}
