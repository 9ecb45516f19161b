import { createLog } from '../../adapters/log/pino-log.ts'
import { openStorage } from '../../adapters/storage/open.ts'
import type { Storage } from '../../adapters/storage/storage.ts'
import { StorageError } from '../../chat/errors.ts'
import type { Config } from '../../config/config.ts'
import { refusedParameter } from '../../toolbox/scoped-tools.ts'
import { sanitizeDefinition } from '../../toolbox/tool-texts.ts'
import type { Tool } from '../../tools/tool.ts'
import { paths } from '../paths.ts'
import { located, openTools } from '../tools/tool-sources.ts'

/** What check prints. Only a problem makes it fail. */
export interface Findings {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** What is as it should be, and good to know. */
  readonly notes: readonly string[]
}

export const NOTHING_FOUND: Findings = { problems: [], warnings: [], notes: [] }

/** Applies the migrations to an empty database and, if that works, reads the `.tool` files, whose tools need a store. */
export async function storageAndTools(config: Config): Promise<Findings> {
  try {
    await using storage = await openStorage({
      file: ':memory:',
      migrationsDir: paths.migrations,
      clock: { now: () => Date.now() },
      log: createLog('silent'),
    })
    return await toolFiles(config, storage)
  } catch (error) {
    if (error instanceof StorageError) return { ...NOTHING_FOUND, problems: [error.forOperators] }
    throw error
  }
}

async function toolFiles(config: Config, storage: Storage): Promise<Findings> {
  await using tools = await openTools(config, storage, createLog('silent'))
  const { modules, wrapped } = tools
  const all = [...tools.builtin(), ...modules.tools(), ...wrapped.tools()]
  return {
    problems: await tools.problems(),
    warnings: [...wrapped.warnings().map(located), ...notSent(config, all)],
    notes: [
      ...wrapped.replaced().map(({ file, by }) => `${by} takes the place of ${file}`),
      ...all.flatMap(({ id, aliasOf, unavailable }) =>
        unavailable === undefined || aliasOf !== undefined ? [] : `${id} cannot run here: ${unavailable}`,
      ),
    ],
  }
}

/** A line for each tool that cannot be sent to models, and for each that the provider of one of them would refuse. */
function notSent({ models }: Config, tools: readonly Tool[]): readonly string[] {
  return tools.flatMap((tool) => {
    const words = sanitizeDefinition(tool)
    if (words.problem !== undefined) return [`${tool.id} is hidden: ${words.problem}`]
    return models.flatMap(({ name, framing, enabled }) => {
      const reason = enabled ? refusedParameter(framing, words) : undefined
      return reason === undefined ? [] : [`@${name} is not offered ${tool.id}: ${reason}`]
    })
  })
}
