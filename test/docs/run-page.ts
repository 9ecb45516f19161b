import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { paths } from '../../src/base/paths.ts'
import { startModelServer } from '../support/model-server.ts'
import { ollamaWire } from '../support/ollama-wire.ts'
import { operator } from '../support/operator.ts'
import { pngOf } from '../support/pictures.ts'
import { scp } from '../support/scp.ts'
import type { SshResult, SshSession } from '../support/ssh.ts'
import { createStageHere } from '../support/stage.ts'

/** A fenced block of a page: `sh`, `text` (a session), or a file whose name is in its first comment. */
export interface Block {
  readonly language: string
  readonly text: string
}

/** What the model says, in the order of the tutorial's questions. */
const ANSWERS = [
  'I answer.',
  'For people.',
  'I see a field.',
  'It has no date.',
  'The disk.',
  'It rolls a die.',
  'Good.',
]

export const readPage = (path: string): Promise<string> => readFile(join(paths.root, path), 'utf8')

export const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }))

/**
 * Carries out the blocks of a page as a reader would, on a server of its own without models. Its config comes from
 * the page; the Ollama that the page names gives `ANSWERS`. The reader has a picture `screen.png`.
 */
export async function createPageRunner() {
  const models = await startModelServer()
  models.play(...ANSWERS.map((text) => ollamaWire.says(text)))
  const stage = await createStageHere({ config: '' })
  await writeFile(join(stage.dir, 'screen.png'), pngOf(64, 48))
  const opened: SshSession[] = []
  let invite = 'none'

  async function save(text: string): Promise<void> {
    const name = /^(?:\/\/|--|#) (\S+\.\w+)\n/.exec(text)?.[1] ?? 'none'
    if (name !== 'sshawl.toml') return await writeFile(join(stage.dir, name), text)
    await appendFile(`${stage.server.dataDir}.toml`, text.replace('http://localhost:11434', models.endpoint))
  }

  /** Types lines that begin with `> ` into the session that was opened last; waits for the lines below each. */
  async function type(lines: readonly string[]): Promise<void> {
    const session = opened.at(-1)!
    let from = 0
    for (const line of lines) {
      if (line.startsWith('> ')) {
        from = session.output().length
        session.write(`${line.slice(2)}\n`)
        continue
      }
      const wanted = shown(line.trim())
      const found = wanted.exec((await session.waitFor(wanted, from)).slice(from))
      from += (found?.index ?? 0) + (found?.[0].length ?? 0)
    }
    invite = /^(?:[A-Z0-9]{4}-){3}[A-Z0-9]{4}$/m.exec(session.output())?.[0] ?? invite
  }

  async function runInShell(line: string): Promise<void> {
    // test/e2e/npm-start.test.ts runs npm.
    if (line.startsWith('npm ')) return
    const [command = '', file] = line.replace('ABCD-EFGH', stage.server.claimCode ?? '').split(' < ')
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([word, quoted]) => quoted ?? word)
    const input = file === undefined ? '' : await readFile(join(stage.dir, file), 'utf8')
    if (/^ssh -p 2222 \S+$/.test(command)) await open(words[3]!)
    else expect(await resultOf(words, input), line).toMatchObject({ exitCode: 0 })
  }

  async function open(address: string): Promise<void> {
    const [user, key] = userOf(address)
    const session = await stage.open(user.replace('CODE', invite), '-T', key)
    opened.push(session)
    await session.waitFor('lobby')
  }

  async function resultOf(words: readonly string[], input: string): Promise<Partial<SshResult>> {
    const [program, ...rest] = words
    if (program === 'npx' && rest[0] === '.')
      return await operator([...rest.slice(1), '--data', stage.server.dataDir])
    expect(rest.slice(0, 2)).toEqual([program === 'scp' ? '-P' : '-p', '2222'])
    if (program === 'scp')
      return await scp(
        stage,
        'ann',
        rest.slice(2).map((word) => word.replace('ann@127.0.0.1:', 'host:')),
      )
    expect(program).toBe('ssh')
    const [user, key] = userOf(rest[2] ?? '')
    return await stage.as(user, rest.slice(3), { key, input })
  }

  return {
    /** Rejects if a command fails, or a session does not show what the page says. */
    async run({ language, text }: Block) {
      const lines = text.trimEnd().split('\n')
      if (language === 'text') return await type(lines)
      if (language !== 'sh') return await save(text)
      for (const line of lines) await runInShell(line)
    },
    async [Symbol.asyncDispose]() {
      for (const session of opened) await session[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
      await models[Symbol.asyncDispose]()
    },
  }
}

/** The user name in `bob+CODE@127.0.0.1`, and the person whose key is used. */
function userOf(address: string): readonly [user: string, key: string] {
  const [user = '', host] = address.split('@')
  expect(host).toBe('127.0.0.1')
  return [user, user.split('+')[0] ?? '']
}

/** Finds a text with any number of spaces in its gaps. */
const shown = (text: string): RegExp =>
  new RegExp(text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll(/ +/g, ' +'))
