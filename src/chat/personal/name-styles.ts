import type { SpanStyle } from '../../base/text/styled.ts'
import { NAME_COLOURS, type NameColour } from './options.ts'

/** How names look in all sessions of a server. */
export interface NameStyles {
  colourOf(name: string): NameColour | undefined
  modelStyle(name: string): SpanStyle
}

/** Names with a remembered style. The oldest is forgotten. */
const MAX_NAMES = 200

export const usualColour = (name: string): NameColour =>
  NAME_COLOURS[hashOf(name) % NAME_COLOURS.length] ?? 'green'

export const personNameStyle = (name: string, chosen = usualColour(name)): SpanStyle => ({
  tint: NAME_COLOURS.indexOf(chosen),
  strong: true,
})

/** The number of models' tints in each theme. */
const MODEL_TINTS = 3

// The low hash bits of short names are too similar.
const usualTint = (name: string): number => (hashOf(name) >>> 6) % MODEL_TINTS

export const usualModelStyle = (name: string): SpanStyle => ({ role: 'model', tint: usualTint(name) })

/** Gives each model a tint of its own, in every room and session, as long as one is free. */
export function createModelStyles(): (name: string) => SpanStyle {
  const known = new Map<string, number>()
  return (name) => {
    const usual = usualTint(name)
    const taken = new Set(known.values())
    const free = [usual, 0, 1, 2].find((tint) => !taken.has(tint))
    const tint = known.get(name) ?? free ?? usual
    setBounded(known, name, tint, MAX_NAMES)
    return { role: 'model', tint }
  }
}

function hashOf(name: string): number {
  let value = 0
  for (const character of name) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return value
}

export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxSize: number): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > maxSize && oldest !== undefined) map.delete(oldest)
}
