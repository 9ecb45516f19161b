import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolContext } from '../../src/tools/context.ts'
import type { ToolSource } from '../../src/tools/tool.ts'
import { contextFor } from '../unit/tools/context.ts'
import { callTool } from '../support/call-tool.ts'

/** A source, and the tools of other sources that it may build on. */
export interface Examinee extends AsyncDisposable {
  readonly source: ToolSource
  readonly bases: readonly string[]
}

/** What every adapter of `ToolSource` must do. `open` gives one that has tools. */
export function toolSourceExam(group: ToolSource['group'], open: () => Promise<Examinee>): void {
  describe(`the tool source ${group}`, () => {
    let examinee: Examinee
    beforeAll(async () => {
      examinee = await open()
    })
    afterAll(() => examinee[Symbol.asyncDispose]())
    const tools = () => examinee.source.tools()

    test('a tool source states its group and name', () => {
      expect(examinee.source).toMatchObject({ group, name: expect.stringMatching(/^[a-z]/) as string })
    })

    test('a tool source gives the same tools in the same order each time', () => {
      expect(tools().length).toBeGreaterThan(0)
      expect(tools()).toEqual(tools())
    })

    test('a tool source gives each tool a unique valid id, a title, a description and an access', () => {
      const ids = tools().map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      for (const { id, title, description, access } of tools()) {
        expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(title).toMatch(/^\S.*\S$/)
        expect(description).toMatch(/^\S[^]*\S$/)
        expect(['read', 'write', 'execute', 'network']).toContain(access)
      }
    })

    test('a tool source gives each tool a JSON Schema of an object', () => {
      for (const { schema } of tools()) {
        expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) as object })
        expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
      }
    })

    test('a tool source builds only on known tools', () => {
      const known = [...examinee.bases, ...tools().map(({ id }) => id)]
      for (const { aliasOf, base } of tools())
        for (const id of [aliasOf, base]) if (id !== undefined) expect(known).toContain(id)
    })

    test.each([['no object'], [[1]], [{ no_such_parameter: 1 }], [{ no_such_parameter: null }]])(
      'every tool of a source refuses the arguments %j without a permission request',
      async (args) => {
        for (const tool of tools()) {
          const context = contextFor({} as ToolContext['workspace'])
          const { content, isError } = await callTool(tool, args, context)
          expect(isError).toBe(true)
          expect(content).toMatch(/^ERROR: [\w-]+: .*(must be|is required|unknown parameter)/)
          expect(context.asked).toEqual([])
        }
      },
    )
  })
}
