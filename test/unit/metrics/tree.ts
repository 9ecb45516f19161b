import { measure, type Measured } from '../../metrics/measure.ts'
import type { Road } from '../../metrics/road.ts'

/** A small server: a door calls a parser, knows the log by a port, and a store behind the port keeps the lines. */
export const TREE: Readonly<Record<string, string>> = {
  'src/door.ts': `
import { parse } from './parse.ts'
import type { LineLog } from './ports.ts'

export function open(log: LineLog): (line: string) => void {
  return (line) => log.append(parse(line))
}
`,
  'src/parse.ts': `
export const parse = (line: string): string => line.trim()
`,
  'src/ports.ts': `
export interface LineLog {
  append(line: string): void
}
`,
  'src/store/store.ts': `
import type { LineLog } from '../ports.ts'
import { write } from './write.ts'

export function createStore(): LineLog {
  return { append: (line) => write(line) }
}
`,
  'src/store/write.ts': `
const kept: string[] = []

export function write(line: string): void {
  kept.push(line)
}
`,
}

/** From the door to where the line is kept. */
export const ROAD: Road = {
  name: 'line → kept',
  wanted: 3,
  steps: [
    { from: 'src/door.ts:open' },
    { aside: 'src/parse.ts:parse' },
    { to: 'src/store/store.ts:createStore', through: 'src/ports.ts:LineLog' },
    { to: 'src/store/write.ts:write' },
  ],
}

/** Measures the tree with some of its files in other words, or with other steps on the road. */
export const measured = (changes: Readonly<Record<string, string>> = {}, steps = ROAD.steps): Measured =>
  measure(new Map(Object.entries({ ...TREE, ...changes })), [{ ...ROAD, steps }])
