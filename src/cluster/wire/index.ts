/** Texts between servers, over NATS or PostgreSQL's NOTIFY. */
export { type BusConfig, HAS_JWT, NATS_EXAMPLE, NKEY_SEED, natsAddress } from './config.ts'
export { busProblem, openWire } from './wire.ts'
