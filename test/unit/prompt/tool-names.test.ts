import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameTools } from '../../../src/prompt/tool-names.ts'
import { sampleTool } from '../../support/snapshot.ts'
import { runs } from '../../support/runs.ts'

const named = (...ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(nameTools(ids.map((id) => sampleTool(id))).map((tool) => [tool.id, tool.name]))

describe('naming tools', () => {
  test('takes the prefix off where that leaves no doubt', () => {
    expect(named('sshawl_look', 'run_command', 'holler_sample')).toEqual({
      sshawl_look: 'look',
      run_command: 'run_command',
      holler_sample: 'holler_sample',
    })
  })

  test('keeps the prefix where another tool has the short name as its id', () => {
    expect(named('sshawl_look', 'look')).toEqual({ sshawl_look: 'sshawl_look', look: 'look' })
  })

  test('shortens long and replaces illegal names with a hash that tells them apart', () => {
    const long = 'x'.repeat(100)
    const names = named(`${long}a`, `${long}b`, 'holler_a.b', 'holler_a/b', 'naïve')
    expect(new Set(Object.values(names)).size).toBe(5)
    for (const name of Object.values(names)) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(names['holler_a.b']).toMatch(/^holler_a_b_[0-9a-f]{8}$/)
  })

  test('begins every name with a letter or an underscore', () => {
    for (const name of Object.values(named('2fa', '-x', '_ok'))) expect(name).toMatch(/^[A-Za-z_]/)
  })

  test('leaves find_tools to the function that wrap() adds', () => {
    expect(named('find_tools')['find_tools']).toMatch(/^find_tools_[0-9a-f]{8}$/)
  })

  test('names tools that are called like properties of every object', () => {
    expect(
      nameTools(['constructor', '__proto__'].map((id) => sampleTool(id))).map((tool) => tool.name),
    ).toEqual(['constructor', '__proto__'])
  })

  test('gives unique legal names that depend only on which ids there are', () => {
    const id = fc.oneof(
      fc.string({ maxLength: 80, unit: 'grapheme' }),
      fc.constantFrom(
        'look',
        'sshawl_look',
        'a.b',
        'a/b',
        'a_b',
        'sshawl_',
        '',
        'find_tools',
        'find_tools_1c89db1e',
      ),
    )
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 12 }), fc.func(fc.integer()), (ids, order) => {
        const tools = nameTools(ids.map((one) => sampleTool(one)))
        const shuffled = nameTools(ids.toSorted((a, b) => order(a) - order(b)).map((one) => sampleTool(one)))
        expect(tools.map((tool) => tool.id)).toEqual(ids)
        expect(new Set(tools.map((tool) => tool.name)).size).toBe(ids.length)
        for (const tool of tools) {
          expect(tool.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
          expect(shuffled.find((other) => other.id === tool.id)?.name).toBe(tool.name)
        }
      }),
      { numRuns: runs(2000) },
    )
  })
})
