// Gives the guide its facts of this server: the texts of help, and what config and tools allow.
import { type DescribedCommand, findHelp, type GuidePlace } from '../models/index.ts'
import { type CommandGroup, type FindHelp, hintForCommand, usage } from '../commands/index.ts'
import type { CurrentConfig } from './current-config.ts'

export const guidePlace = (current: CurrentConfig, commands: GuidePlace['commands']): GuidePlace => ({
  commands,
  hint: sessionHint,
  models: () =>
    current
      .now()
      .models.filter(({ enabled, backend }) => enabled && backend !== 'guide')
      .map(({ name }) => name),
  inviteMakers() {
    const { access, invites } = current.now().server
    return access === 'invite' ? invites : undefined
  },
})

/** Finds for /help what the guide finds. */
export const findGuideHelp: FindHelp = (words, groups) => {
  const found = findHelp(words, { commands: () => describeCommands(groups), hint: sessionHint })
  return found && { ...found, commands: found.commands.map(({ name }) => name) }
}

const sessionHint: GuidePlace['hint'] = (word) => hintForCommand(word, 'session')

export const describeCommands = (groups: readonly CommandGroup[]): readonly DescribedCommand[] =>
  groups.flatMap(({ name: group, about, commands }) =>
    commands.map((command) => ({
      name: command.name,
      aliases: command.aliases ?? [],
      group: `${group} ${about}`,
      usage: usage(command, 'session'),
      summary: command.summary,
      details: [...command.arguments, ...command.flags].map((one) => `${one.name} ${one.about}`).join(' '),
      ...(command.rights && 'manage' in command.rights ? { manage: command.rights.manage } : {}),
    })),
  )
