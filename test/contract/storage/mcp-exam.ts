import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'

const pin = (tool: string, definition = '{}') => ({ tool, hash: `hash of ${definition}`, definition })

/** What a store of MCP servers and of their tools' definitions must do; `store` gives that of the running test. */
export function mcpExam(store: () => Storage): void {
  test('an MCP store keeps the last definition of each tool of a server', async () => {
    const { pins } = store().tools.mcp
    await pins.put('holler', [pin('"b"', '1'), pin('"a"', '2')])
    await pins.put('other', [pin('"a"', '3')])
    await pins.put('holler', [pin('"b"', '4')])
    expect(await pins.hashes('holler')).toEqual([
      { tool: '"a"', hash: 'hash of 2' },
      { tool: '"b"', hash: 'hash of 4' },
    ])
    expect(await pins.find('holler', ['"b"', '"c"'])).toEqual([pin('"b"', '4')])
    expect(await pins.find('nobody', ['"b"'])).toEqual([])
    await pins.forget('holler')
    expect(await pins.hashes('holler')).toEqual([])
    expect(await pins.find('other', ['"a"'])).toEqual([pin('"a"', '3')])
  })

  test('an MCP store finds the definitions of no tool and of 5,000 tools', async () => {
    const { pins } = store().tools.mcp
    await pins.put('holler', [pin('"b"', '1'), pin('"a"', '2')])
    const many = Array.from({ length: 5_000 }, (_, n) => `"tool ${n}"`)
    expect(await pins.find('holler', [])).toEqual([])
    expect(await pins.find('holler', [...many, '"a"'])).toEqual([pin('"a"', '2')])
  })

  test('an MCP store returns any text unchanged', async () => {
    const { pins } = store().tools.mcp
    const all = [`"a\\u0000'%"`, '"\\ud800"', '""', `"${'x'.repeat(2_000)}"`, '__proto__'].map((tool) =>
      pin(tool, tool),
    )
    await pins.put('holler', all)
    expect(
      new Set(
        await pins.find(
          'holler',
          all.map(({ tool }) => tool),
        ),
      ),
    ).toEqual(new Set(all))
  })

  test('an MCP store keeps servers by name and drops the definitions of a removed one', async () => {
    const { connected, pins } = store().tools.mcp
    await connected.put({ name: 'two', entry: '{"url":"http://h"}', by: 'root', at: 5 })
    await connected.put({ name: 'one', entry: '{}', by: 'root', at: 6 })
    await connected.put({ name: 'two', entry: '{"url":"http://i"}', by: 'alice', at: 7 })
    await pins.put('two', [pin('"a"')])
    const two = { name: 'two', entry: '{"url":"http://i"}', by: 'alice', at: 7 }
    expect(await connected.all()).toEqual([{ name: 'one', entry: '{}', by: 'root', at: 6 }, two])
    await connected.remove('two')
    await connected.remove('two')
    expect((await connected.all()).map(({ name }) => name)).toEqual(['one'])
    expect(await pins.hashes('two')).toEqual([])
  })
}
