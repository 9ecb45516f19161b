import { parseArgs } from 'node:util'

/** What one run measures. */
export interface FanOutOptions {
  /** How many clients there are, one size after another. */
  readonly clients: readonly number[]
  /** Lines a second in all. */
  readonly rates: readonly number[]
  /** Of talk, at each size and rate, for each contender and round. */
  readonly seconds: number
  /** How often each stretch of talk is repeated, contenders in turn. */
  readonly rounds: number
  readonly speakers: number
  /** Driver processes for each contender; undefined: one for every 500 clients. */
  readonly drivers: number | undefined
  /** `npm start`, a new data directory, and all that is measured counts from its first login. */
  readonly asStarted: boolean
  /** Where a profile of sshawl's processor time is written, a file a size; undefined: none is made. */
  readonly profile: string | undefined
}

const text = { type: 'string' } as const

/** Throws with a line for the person when an argument is wrong. */
export function readOptions(args: readonly string[]): FanOutOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clients: { ...text, default: '10,100,200,500,1000' },
      rate: { ...text, default: '20,50' },
      seconds: { ...text, default: '10' },
      rounds: { ...text, default: '2' },
      speakers: { ...text, default: '60' },
      drivers: text,
      profile: text,
      'as-started': { type: 'boolean', default: false },
    },
  })
  return {
    clients: numbers('clients', values.clients),
    rates: numbers('rate', values.rate),
    seconds: number('seconds', values.seconds),
    rounds: number('rounds', values.rounds),
    speakers: number('speakers', values.speakers),
    drivers: values.drivers === undefined ? undefined : number('drivers', values.drivers),
    profile: values.profile,
    asStarted: values['as-started'],
  }
}

const numbers = (name: string, value: string): number[] => value.split(',').map((part) => number(name, part))

function number(name: string, value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new Error(`--${name} takes whole numbers above 0, not "${value}"`)
  return Number(value)
}
