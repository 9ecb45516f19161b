import { once } from 'node:events'
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { openData } from './open-data.ts'

/** Milliseconds that a shutdown may take; then the process ends without waiting for the rest. */
const SHUTDOWN_MS = 4_500

/** Serves until SIGTERM or SIGINT; resolves to the exit status. */
export async function serve(config: Config): Promise<number> {
  const stop = firstSignal()
  const app = await start(config)
  try {
    announce(app, await listen(app, config))
    await stop
  } finally {
    const watchdog = setTimeout(() => process.exit(0), SHUTDOWN_MS)
    watchdog.unref()
    await app[Symbol.asyncDispose]()
    clearTimeout(watchdog)
  }
  return 0
}

/** Loads the rest of the program while the database is opened in its own thread. */
async function start(config: Config): Promise<App> {
  const data = openData(config)
  // Whoever awaits it hears of a failure; it may come before the program is loaded.
  data.catch(() => {})
  const { createApp } = await import('../app.ts')
  return await createApp(config, {}, data)
}

async function listen(app: App, { listen: { host, port } }: Config): Promise<{ host: string; port: number }> {
  try {
    return await app.listen()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'something else listens there' : message
    throw new Error(`cannot listen on ${host}:${port}: ${why}; choose another with --listen`, {
      cause: error,
    })
  }
}

/** Listens from the start, so that a signal during the start is not lost. */
const firstSignal = (): Promise<unknown> => Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])

/** The lines that people and scripts wait for, in the order of the contract. */
function announce(app: App, { host, port }: { readonly host: string; readonly port: number }): void {
  const shownHost = host.includes(':') ? `[${host}]` : host
  for (const fingerprint of app.fingerprints) console.log(`host key ${fingerprint}`)
  if (app.claimCode) {
    console.log(
      `claim code ${app.claimCode} — first admin: ssh -p ${port} you@${host} claim ${app.claimCode}`,
    )
  }
  console.log(`sshawl listening on ssh://${shownHost}:${port}`)
}
