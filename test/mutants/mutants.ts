/** One small change of src that tests must notice. */
export interface Mutant {
  /** What does not hold any more, as a sentence. */
  readonly breaks: string
  readonly file: string
  /** Is in the file once. */
  readonly from: string
  readonly to: string
  /** Words of vitest: files with one of them in their path are run. */
  readonly tests: readonly string[]
}

const of =
  (file: string, ...tests: readonly string[]) =>
  (breaks: string, from: string, to: string): Mutant => ({ breaks, file, from, to, tests })

const scope = of('src/wrap/scope/scope.ts', 'test/unit/wrap/scope', 'test/unit/turns')
const calls = of('src/wrap/toolbox/run-tool.ts', 'test/unit/wrap/toolbox', 'test/unit/turns/approvals')
const policy = of(
  'src/turns/approvals/policy.ts',
  'test/unit/turns/approvals',
  'test/contract/permission-provider',
)
const approvals = of('src/turns/approvals/approvals.ts', 'test/unit/turns/approvals')
const ledger = of('src/wrap/ledger.ts', 'test/unit/wrap')
const budget = of('src/wrap/budget.ts', 'test/unit/wrap')
const rungs = of('src/wrap/scope/rungs.ts', 'test/unit/wrap')
const calibration = of('src/wrap/calibration.ts', 'test/unit/wrap/calibration')
const trim = of('src/wrap/trim.ts', 'test/unit/wrap')
const snapshot = of('src/turns/gather-snapshot.ts', 'test/unit/wrap')
const clean = of('src/base/text/clean-text.ts', 'test/unit/base')
const outside = of('src/words/outside.ts', 'test/unit/chat/entry-forms', 'test/unit/wrap/toolbox')
const limits = of('src/chat/limits.ts', 'test/unit/chat/limits', 'test/unit/cluster/presence')
const ids = of('src/base/ids.ts', 'test/unit/base')
const storage = of('src/storage/sqlite/database.ts', 'test/unit/storage')
const sanctions = of('src/chat/moderation/sanctions.ts', 'test/unit/chat', 'test/contract/peers')
const acts = of(
  'src/chat/moderation/acts.ts',
  'test/unit/chat/sanctions',
  'test/contract/rights',
  'test/e2e/moderation-bans',
)
const targets = of(
  'src/chat/moderation/targets.ts',
  'test/unit/chat/sanctions',
  'test/unit/commands/verbs/moderation',
)
const configAdmins = of('src/chat/moderation/targets.ts', 'test/e2e/moderation-bans')
const purging = of('src/chat/moderation/purging.ts', 'test/contract/rights')
const keeping = of('src/chat/moderation/keeping.ts', 'test/e2e/reading')
const access = of(
  'src/chat/access.ts',
  'test/contract/rights',
  'test/unit/chat',
  'test/unit/tools',
  'test/unit/server/agents',
)
const ignores = of('src/chat/talk/ignores.ts', 'test/e2e/talk')
const web = of('src/web/addresses.ts', 'test/unit/web')
const pins = of('src/mcp/client/pins.ts', 'test/unit/mcp')
const mcpTool = of('src/mcp/client/tool.ts', 'test/unit/mcp')
const redact = of('src/mcp/redact.ts', 'test/unit/mcp')

/** The promises of docs/security.md, and what budgets and scopes are for. */
export const MUTANTS: readonly Mutant[] = [
  scope(
    'a guest gets only tools that read',
    "access === 'read' ? undefined : `role",
    "access !== 'execute' ? undefined : `role",
  ),
  scope("a model's own scope holds", "    hiddenIn('model', parsedModel),\n", ''),
  scope(
    'the scope of a model in a room holds',
    "    ...parsedHere.map((scope) => hiddenIn('model in this room', scope)),\n",
    '',
  ),
  scope(
    'a side turn has no tool that its turn lacks',
    '    ...(within ? [boundsRule(within.ids)] : []),\n',
    '',
  ),
  scope(
    'an alias is taken away with its tool',
    '      for (const one of ids) if (!reasons.has(one)) reasons.set(one, reason)\n',
    '',
  ),
  scope('a word that names a tool opens no server', '&& !isByServer(pattern, tool))', ')'),
  calls(
    'a tool that was turned off while people were asked does not run',
    "return (await isOffered()) ? 'allow' : { why: TURNED_OFF }",
    "return 'allow'",
  ),
  calls('what is denied does not run', "  if (verdict !== 'allow') return verdict\n", ''),
  policy(
    'only an admin allows the network',
    "  if (asked.onceOnly && verdict !== 'denied') return role === 'admin'\n",
    '',
  ),
  policy('only an op allows always', "verdict === 'always' || (asked.needsOp", '(asked.needsOp'),
  policy('an op answers what the config leaves to ops', "|| (asked.needsOp && verdict !== 'denied')", ''),
  policy(
    'what goes to the network is asked for each time',
    "  if (access === 'network') return 'what goes to the network is asked for each time'\n",
    '',
  ),
  policy(
    'no grant covers what may be allowed only once',
    '    if (whyOnlyOnce(asked) !== undefined) return false\n',
    '',
  ),
  policy('a grant for the room ends', 'until: at + ROOM_GRANT_MS', 'until: at + 1000 * ROOM_GRANT_MS'),
  policy(
    'the stricter rule holds for a tool',
    'strictness(access) < strictness(toolAccess)',
    'strictness(access) > strictness(toolAccess)',
  ),
  approvals(
    'an answer without a number means no question of several',
    'if (first && others.length === 0) return first',
    'if (first) return first',
  ),
  approvals('a script allows only what it names', ': !tools.has(tool)', ': tools.size === 0'),
  approvals('a question is answered once', 'if (!isTaken) throw', 'if (isTaken === undefined) throw'),
  ledger(
    'a prompt is never a token too long',
    'sum(next) > this.#terms.target',
    'sum(next) > this.#terms.target + 1',
  ),
  ledger(
    'what a provider adds for tools is counted',
    'framing: perRequest + perToolset',
    'framing: perRequest',
  ),
  budget(
    'the text about tools counts as tools',
    'terms.counter.count(text) + priced.tokens > priced.cap',
    'priced.tokens > priced.cap',
  ),
  budget(
    'a required layer is never left out',
    "report.status === 'dropped' && layer.required",
    "report.status === 'dropped' && layer.required && layer.system",
  ),
  budget(
    'more important layers are served first',
    'rank(a) - rank(b) || a.priority - b.priority',
    'rank(a) - rank(b) || b.priority - a.priority',
  ),
  rungs(
    'the search for tools costs its tokens',
    'const tokens = searchTokens(framing, counter)',
    'const tokens = 0',
  ),
  rungs(
    'only tools in the scope are sent',
    'uniqueTools(inScope.filter(({ id }) => forms.has(id)))',
    'uniqueTools(inScope)',
  ),
  calibration(
    'the most that was seen in a day counts',
    'Math.max(known.factor, currentMaximum(known, now))',
    'known.factor',
  ),
  trim('a trimmed history has all that fits', 'entries.slice(before + 1)', 'entries.slice(before + 2)'),
  snapshot(
    'nobody writes a line that looks like another speaker',
    '`${author}: ${indentLater(text)}`',
    '`${author}: ${text}`',
  ),
  clean('escape sequences are taken out whole', "  { pattern: ESCAPE_SEQUENCE, becomes: '' },\n", ''),
  clean('invisible characters are taken out', "  { pattern: EMOJI_OR_INVISIBLE, becomes: '$1' },\n", ''),
  clean('a line has no line break', "    .replace(/[\\n\\t]+/gu, ' ')\n", ''),
  outside(
    'a stranger cannot know the mark around their text',
    'const mark = `${from} ${id.slice(-8)}`',
    'const mark = from',
  ),
  limits(
    'a key and a network are paced, too',
    "  return [person, quotaKey('key', login.key, 1), quotaKey('network', login.network, PEOPLE_PER_NETWORK)]",
    '  return [person]',
  ),
  limits(
    'who is on two servers has no two quotas',
    'amount * rate.everyMs * serversOf(name)',
    'amount * rate.everyMs',
  ),
  limits(
    'too many bytes are refused',
    'if (wait > 0) throw new Refusal(byteQuotaText',
    'if (wait > DAY_MS) throw new Refusal(byteQuotaText',
  ),
  ids('ids go on in order after the clock went back', 'Math.max(clock.now(), earliest)', 'clock.now()'),
  storage('a change that fails leaves nothing behind', "          this.#send('ROLLBACK TO job')\n", ''),
  sanctions(
    'a banned network stays out',
    '(one.bits !== undefined && address?.startsWith(one.bits) === true)',
    'false',
  ),
  sanctions(
    'a ban holds for the keys of a person',
    '      (login !== undefined && one.keys.includes(login.key)) ||\n',
    '',
  ),
  sanctions('a ban ends when its time is over', 'until === null || until > this.#clock.now()', 'until !== 0'),
  sanctions('bans from other servers hold here', '      this.#add(added)\n', ''),
  sanctions('a room that another server deletes is closed', ' || this.#deletedByPeers.has(room)', ''),
  acts('who is banned is put out at once', '        removeBanned(ban, owner, this.parts),\n', ''),
  acts(
    'only an admin bans from the server',
    'if (actor.admin || (await this.parts.stores.people.byId(actor.id))?.admin) return',
    'if (actor.id) return',
  ),
  targets(
    'nobody puts out the owner of a room',
    '  if (holders.some(({ id }) => id === owner))',
    '  if (holders.length > 9)',
  ),
  configAdmins(
    'nobody acts on an admin of the config',
    '.some((key) => server.isConfigAdmin(key))',
    '.some((key) => server.isConfigAdmin(key) && room)',
  ),
  purging(
    'only an admin removes what somebody said',
    'if (!actor.admin && !(await stores.people.byId(actor.id))?.admin)',
    "if (actor.name === '')",
  ),
  keeping(
    'what is young enough is kept',
    'this.#parts.clock.now() - days * DAY_MS',
    'this.#parts.clock.now() - days',
  ),
  access(
    'a private room is seen by its members alone',
    '  if (!isMember(await rooms.membership(room.name, viewer.id))) return false\n',
    '',
  ),
  access(
    'who is invited is no member yet',
    "membership !== undefined && membership !== 'invited'",
    'membership !== undefined',
  ),
  access(
    'a private room is not told of in a room of others',
    'toldIn === undefined || toldIn === room.name ||',
    'room.private ||',
  ),
  access(
    'a token sees its own rooms alone',
    'login?.token?.rooms?.has(name) === false',
    "login?.token?.rooms?.has(name) === false && name === ''",
  ),
  ignores(
    'whom one ignores is not shown',
    '        !hasAuthor(ignored, entry),',
    '        ignored.size > 0,',
  ),
  web('a name with one private address is refused', 'addresses.every(', 'addresses.some('),
  pins('a tool that changed is withheld', 'isHeld: known.get(key) === hash', 'isHeld: known.has(key)'),
  pins('a server has at most so many tools', 'unseen.slice(0, Math.max(0, MAX_PINS - known.size))', 'unseen'),
  mcpTool(
    'what an untrusted server says of its tools counts for nothing',
    "  if (trust === 'ask') return most\n",
    '',
  ),
  mcpTool(
    "a server's words are marked as from outside",
    '        return { ...result, outside:',
    '        return { ...result, unused:',
  ),
  redact(
    'a secret is hidden each time it is there',
    "shown.replaceAll(secret, '***')",
    "shown.replace(secret, '***')",
  ),
]
