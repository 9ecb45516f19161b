import fc from 'fast-check'
import { packets, type PacketsCase } from './packets.ts'
import { cells, command, text } from './words.ts'

/** One thing that somebody does in a session. */
export type Step =
  | { readonly do: 'type'; readonly bytes: string }
  | { readonly do: 'resize'; readonly columns: number; readonly rows: number }

/** A session of somebody who types anything; no step asks to leave. Bytes are written as latin1 text. */
export interface SessionCase {
  readonly kind: 'terminal' | 'dumb' | 'pipe'
  readonly columns: number
  readonly rows: number
  readonly env: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

/** One command line of a script, and what is piped in. */
export interface ExecCase {
  readonly kind: 'exec'
  readonly line: string
  readonly input: string
}

export type FuzzCase = SessionCase | ExecCase | PacketsCase

/** A client that sends packets of more than 35,000 bytes (RFC 4253, section 6.1) is rightly thrown out. */
const MAX_PACKET_TEXT_UNITS = 8000
const cutToPacket = (from: string): string => from.slice(0, MAX_PACKET_TEXT_UNITS)

const latin1 = (from: string): string => Buffer.from(from, 'utf8').toString('latin1')

/** Ends a session on purpose when the line is empty. */
const LEAVE = /\u0004/g

const KEYS = '[A [B [C [D [H [F [3~ [1;5C [1;5D b f d \r [200~ [201~ OP [<0;1;1M [?1;2c [ O '.split(' ')
const keys = fc.oneof(
  fc.constantFrom(...KEYS).map((key) => `\u001b${key}`),
  fc.constantFrom('\r', '\n', '\r\n', '\t', '\u007f', '\b'),
  fc.integer({ min: 0, max: 31 }).map((code) => String.fromCharCode(code)),
)
const line = fc.oneof(
  command.map((words) => `/${words}\r`),
  text.map((words) => `${words}\r`),
)

const typed = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(keys, { minLength: 1, maxLength: 30 }).map((pressed) => pressed.join('')),
  },
  { weight: 4, arbitrary: line.map(latin1) },
  { weight: 2, arbitrary: text.map(latin1) },
  {
    weight: 2,
    arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(keys, fc.integer({ min: 1, max: 3000 })).map(([key, times]) => key.repeat(times)),
  },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: typed.map((bytes) => ({ do: 'type' as const, bytes: bytes.replace(LEAVE, '\u0003') })),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resize' as const), columns: cells, rows: cells }) },
)

const variables = fc.dictionary(
  fc.constantFrom('LANG', 'TZ', 'SSHAWL_PLAIN', 'SSHAWL_THEME', 'SSHAWL_X', 'PATH', 'LD_PRELOAD'),
  fc.oneof(fc.constantFrom('', '0', '1', 'mono', 'C'), text.map(cutToPacket)),
  { maxKeys: 3 },
)

const session: fc.Arbitrary<SessionCase> = fc.record({
  kind: fc.constantFrom('terminal', 'dumb', 'pipe'),
  columns: cells,
  rows: cells,
  env: variables,
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
})

const exec: fc.Arbitrary<ExecCase> = fc.record({
  kind: fc.constant('exec'),
  line: fc
    .oneof({ weight: 4, arbitrary: command }, { weight: 1, arbitrary: text })
    .map((words) => cutToPacket(words.replaceAll('\0', ''))),
  input: fc.oneof(
    fc.constant(''),
    text,
    fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  ),
})

export const fuzzCase: fc.Arbitrary<FuzzCase> = fc.oneof(
  { weight: 5, arbitrary: session },
  { weight: 3, arbitrary: exec },
  { weight: 2, arbitrary: packets },
)
