import { compileGlob } from '../../lib/glob.ts'

/** The pattern that refuses an argument, or undefined if none does. */
export type DenyList = (argument: string) => string | undefined

/**
 * Patterns of arguments: `*` is any run of characters, `?` is one. Options have more than one spelling, so a
 * plain `--long` refuses `--long=value` too, and a plain `-x` refuses that letter in a cluster or with its
 * value glued on (`-rx`, `-xFILE`): refusing one call too many is better than one too few.
 */
export function denyList(patterns: readonly string[]): DenyList {
  const tests = patterns.map((pattern) => ({ pattern, matches: test(pattern) }))
  return (argument) => tests.find(({ matches }) => matches(argument))?.pattern
}

function test(pattern: string): (argument: string) => boolean {
  if (/^--[^*?]+$/.test(pattern)) {
    return (argument) => argument === pattern || argument.startsWith(`${pattern}=`)
  }
  if (/^-[A-Za-z0-9]$/.test(pattern)) {
    return (argument) => /^-[^-]/.test(argument) && argument.includes(pattern.slice(1))
  }
  return compileGlob(pattern)
}
