// Gives the guide its facts of this server: the texts of help, and what config and tools allow.
import type { DescribedCommand, GuidePlace } from '../models/index.ts'
import { type CommandGroup, hintForCommand, usage } from '../commands/index.ts'
import type { CurrentConfig } from './current-config.ts'

export const guidePlace = (
  current: CurrentConfig,
  commands: GuidePlace['commands'],
  asks: GuidePlace['asks'],
): GuidePlace => ({
  commands,
  asks,
  hint: (word) => hintForCommand(word, 'session'),
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
