import { readKeyLine } from '../../src/ssh/keys/public-key.ts'
import { codes, tokenTexts } from '../../src/server/codes.ts'
import { Invites, Keys, Tokens } from '../../src/chat/people/credentials.ts'
import { People } from '../../src/chat/people/people.ts'
import type { Person } from '../../src/words/person.ts'
import type { PeoplePolicy } from '../../src/chat/people/registration.ts'
import type { ChatParts } from './chat-parts.ts'

/** Few enough that a test can reach them. */
export const MAX_OPEN_INVITES = 3
export const MAX_KEYS = 3
export const MAX_TOKENS = 3

const POLICY: PeoplePolicy = {
  access: 'open',
  admins: [],
  modelNames: [],
  namesPerKey: 8,
  keptNames: 2,
  renamesPerDay: 5,
}

/** Who people are and how they come in, as the server has it, over the stores of a test. */
export function createPeopleParts(
  {
    storage: { chat },
    clock,
    log,
    nextId,
    sanctions,
    peers,
  }: Pick<ChatParts, 'clock' | 'log' | 'nextId' | 'sanctions' | 'peers'> & {
    readonly storage: Pick<ChatParts['storage'], 'chat'>
  },
  given: Partial<PeoplePolicy> | (() => Partial<PeoplePolicy>) = {},
  claimCode?: string,
) {
  const policy = (): PeoplePolicy => ({ ...POLICY, ...(typeof given === 'function' ? given() : given) })
  const redeemed: { readonly by: string; readonly room: string | null; readonly who: string }[] = []
  const onRedeemed = ({ by, room }: { by: Person; room: string | null }, { name }: Person): void =>
    void redeemed.push({ by: by.name, room, who: name })
  const invites = new Invites({
    store: chat.invites,
    codes,
    clock,
    log,
    maxOpen: () => MAX_OPEN_INVITES,
    isOut: (maker) => sanctions.whyOut(maker) !== undefined,
    onRedeemed,
  })
  const keys = new Keys({
    store: chat.keys,
    readLine: readKeyLine,
    clock,
    log,
    maxKeys: () => MAX_KEYS,
  })
  const people = new People({
    stores: chat,
    invites,
    log,
    clock,
    nextId,
    policy,
    claimCode,
    sanctions,
    peers,
  })
  const tokens = new Tokens({
    store: chat.tokens,
    texts: tokenTexts,
    people,
    sanctions,
    clock,
    log,
    maxTokens: () => MAX_TOKENS,
  })
  return { people, invites, keys, tokens, redeemed }
}
