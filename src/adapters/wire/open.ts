/**
 * adapters/wire/ carries short texts between servers that share a database: by NATS where `[bus]` names one, otherwise by
 * PostgreSQL's LISTEN and NOTIFY, so that two machines need one engine. It implements `Wire` (cluster/ports.ts).
 *
 * They are sealed (seal.ts), so that whoever else may listen there, or send, neither reads them nor can write any.
 *
 * It must not know what the texts say. It keeps nothing: what cannot be sent at once is lost, as the port allows.
 */
import type { Log } from '../../chat/ports.ts'
import type { Wire } from '../../cluster/ports.ts'
import type { BusConfig } from './config.ts'
import { createKeptWire } from './kept-wire.ts'
import { type Engine, whyNotReached } from './link.ts'
import { type BusSecret, createSeal } from './seal.ts'

/** Which engine carries the texts, and where it is. */
export interface WireOptions {
  readonly bus: BusConfig | undefined
  /** Of the PostgreSQL database that the servers share. It may hold a password, and is shown nowhere. */
  readonly storageUrl: string
  readonly secret: BusSecret
  readonly log: Log
  /** How long it is left alone first where somebody floods it, in milliseconds; absent: 30 s. */
  readonly floodedMs?: number
}

/**
 * Resolves once the engine was reached, or could not be reached, which takes some seconds at most; never rejects. From then on the
 * wire keeps its connection until it is disposed of.
 */
export async function openWire({ bus, storageUrl, secret, log, floodedMs }: WireOptions): Promise<Wire> {
  return await createKeptWire(await engineOf(bus, storageUrl, log), createSeal(secret), log, floodedMs)
}

/** A subject under which nobody else hears anything. */
const PROBE = 'check'

/** Has a text brought to itself, once. Resolves to why that does not work, without what is secret of it; undefined where it does. */
export async function busProblem(bus: BusConfig, log: Log): Promise<string | undefined> {
  const engine = await engineOf(bus, '', log)
  let isHeard = false
  try {
    const link = await engine.connect(() => {
      isHeard = true
    })
    link.want(PROBE)
    link.send(PROBE, Buffer.from(PROBE))
    await link.close()
  } catch (error) {
    return `${engine.name} cannot be used: ${whyNotReached(error)}`
  }
  return isHeard
    ? undefined
    : `${engine.name} carries nothing under ${bus.prefix}.>: look at the permissions of the user`
}

/** Those who do not use an engine do not load its package. */
async function engineOf(bus: BusConfig | undefined, storageUrl: string, log: Log): Promise<Engine> {
  if (!bus) return (await import('./notify.ts')).createNotify(storageUrl)
  return (await import('./nats.ts')).createNats(bus, log)
}
