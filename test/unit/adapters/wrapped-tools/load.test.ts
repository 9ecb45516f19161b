import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadToolFiles } from '../../../../src/adapters/wrapped-tools/load.ts'
import { ODD_NAMES } from '../../../support/odd-names.ts'
import { temporaryDir } from '../../../support/storage.ts'

const ALIAS = '@name shout\n@wrapped write_file\n'

describe('the files of wrapped tools', () => {
  test.each([...ODD_NAMES, 'a\\b'])(
    'are found in a directory called %j, and through a link to it',
    async (name) => {
      using dir = temporaryDir()
      const [path, link] = [join(dir.path, name), join(dir.path, `${name} link`)]
      await mkdir(path)
      await writeFile(join(path, 'a.tool'), ALIAS)
      await symlink(path, link)
      for (const from of [path, link]) {
        const { definitions, complete } = await loadToolFiles([from])
        expect({ files: definitions.map(({ file }) => file), complete }).toEqual({
          files: [join(from, 'a.tool')],
          complete: true,
        })
      }
    },
  )

  test('end with .tool and are not hidden, whatever else their names have', async () => {
    using dir = temporaryDir()
    const names = ['!a.tool', '[b].tool', 'c d.tool', 'e\\f.tool', '{g,h}.tool']
    for (const name of [...names, '.hidden.tool', 'i.TOOL', 'j.tool~'])
      await writeFile(join(dir.path, name), ALIAS)
    await mkdir(join(dir.path, 'deep.tool'))
    await writeFile(join(dir.path, 'deep.tool/k.tool'), ALIAS)
    const { definitions } = await loadToolFiles([dir.path])
    expect(definitions.map(({ file }) => basename(file))).toEqual(names)
  })

  test('are told of if they are links without a target', async () => {
    using dir = temporaryDir()
    await symlink(join(dir.path, 'nowhere'), join(dir.path, 'lost.tool'))
    const { problems } = await loadToolFiles([dir.path])
    expect(problems).toEqual([
      { file: join(dir.path, 'lost.tool'), line: 1, message: 'it cannot be read (ENOENT)' },
    ])
  })
})
