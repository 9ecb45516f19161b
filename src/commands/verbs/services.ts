import type { Approvals } from '../../approvals/approvals.ts'
import type { GrantStore } from '../../approvals/ports.ts'
import type { InvitationNotices } from '../../chat/personal/invitations.ts'
import type { Clients } from '../../chat/moderation/clients.ts'
import type { Moderation } from '../../chat/moderation/moderation.ts'
import type { Invites, Keys, Tokens } from '../../chat/people/credentials.ts'
import type { People } from '../../chat/people/people.ts'
import type { Clock, EntryLog, PeopleStore, RoomStore } from '../../chat/ports.ts'
import type { Preferences } from '../../chat/personal/preferences.ts'
import type { Rooms } from '../../chat/rooms.ts'
import type { Talk } from '../../chat/talk/talk.ts'
import type { InputHistory } from '../../chat/personal/input-history.ts'
import type { RoomHooks } from '../../prompt/hooks.ts'
import type { HistoryStore, ScriptStore, SummaryStore } from '../../prompt/ports.ts'
import type { ToolRuns } from '../../toolbox/tool-runs.ts'
import type { ChargeStore } from '../../turns/billing.ts'
import type { TurnStore } from '../../turns/ports.ts'
import type { Summaries } from '../../turns/summaries/summaries.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Command } from '../command.ts'
import type { Speech } from '../speech.ts'
import type { InvitePolicy } from './invites.ts'
import type { McpAdmin } from './mcp-admin.ts'
import type { HelpKey } from '../help.ts'

export interface Services {
  readonly rooms: Rooms
  readonly people: People
  readonly preferences: Preferences
  readonly invitations: InvitationNotices
  readonly comingIn: {
    readonly invites: Invites
    readonly keys: Keys
    readonly tokens: Tokens
    readonly clients: Pick<Clients, 'everywhere'>
    readonly policy: () => InvitePolicy
  }
  readonly speech: Speech
  readonly talk: Talk
  readonly history: Pick<InputHistory, 'forget'>
  readonly turns: Turns
  readonly runs: ToolRuns
  readonly summaries: Summaries
  readonly approvals: Approvals
  readonly hooks: Pick<RoomHooks, 'logOf'>
  /** The servers that bring tools. */
  readonly mcp: McpAdmin
  readonly moderation: Moderation
  readonly clock: Clock
  /** The keys of a session, for help. */
  readonly keys: readonly HelpKey[]
  readonly stores: {
    readonly chat: { readonly rooms: RoomStore; readonly people: PeopleStore; readonly entries: EntryLog }
    readonly prompts: {
      readonly scripts: ScriptStore
      readonly summaries: SummaryStore
      readonly history: Pick<HistoryStore, 'following'>
    }
    readonly models: { readonly turns: TurnStore; readonly charges: ChargeStore }
    readonly tools: { readonly grants: GrantStore }
  }
}

export type Verb<Used extends keyof Services = keyof Services> = (services: Pick<Services, Used>) => Command
