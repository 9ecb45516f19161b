import type { Road } from './road.ts'

/**
 * The three roads. Their stations are where control comes in, where it passes a port or goes to another process, and
 * where it leaves the program; `aside` names what looks at, changes or can refuse that which travels. Files between
 * two stations are found, and need not be named.
 */
export const ROADS: readonly Road[] = [
  {
    // From the bytes on an SSH channel to the entry in the SQLite log.
    name: 'line → log',
    wanted: 16,
    steps: [
      { from: 'src/adapters/ssh/server.ts:createSshServer' },
      { to: 'src/adapters/ssh/connection.ts:serveConnection' },
      { aside: 'src/adapters/ssh/login.ts:answerLogin' },
      { aside: 'src/adapters/ssh/channel.ts:openChannel' },
      { to: 'src/adapters/ssh/terminal.ts:serveShell' },
      { to: 'src/app/session-host.ts:createClientHandler', through: 'src/session/ports.ts:ClientHandler' },
      { to: 'src/session/session.ts:runSession' },
      { aside: 'src/session/keys.ts:createKeyDecoder' },
      { aside: 'src/session/line-editor.ts:press' },
      { to: 'src/app/session-host.ts:createSessionHost', through: 'src/session/ports.ts:SessionHost' },
      { to: 'src/handle-line.ts:handleLine' },
      { to: 'src/commands/runner.ts:createRunner', through: 'src/commands/runner.ts:Runner' },
      { aside: 'src/chat/limits/pace.ts:createPace', through: 'src/chat/limits/pace.ts:Pace' },
      { to: 'src/commands/speech.ts:createSpeech', through: 'src/commands/speech.ts:Speech' },
      { aside: 'src/chat/message-text.ts:messageText' },
      { to: 'src/chat/room.ts:createRoom', through: 'src/chat/room.ts:Room' },
      {
        to: 'src/adapters/storage/sqlite/entry-log.ts:createEntryLog',
        through: 'src/chat/ports.ts:EntryLog',
      },
      {
        to: 'src/adapters/storage/sqlite/connection.ts:createConnection',
        through: 'src/adapters/storage/sqlite/connection.ts:Connection',
      },
    ],
  },
  {
    // From a message that mentions a model to the HTTP request to its provider.
    name: 'mention → request',
    wanted: 28,
    steps: [
      { from: 'src/commands/speech.ts:createSpeech' },
      { aside: 'src/chat/mentions.ts:mentions' },
      { to: 'src/turns/turns.ts:createTurns', through: 'src/turns/turns.ts:Turns' },
      { aside: 'src/turns/queue.ts:createTurnQueue', through: 'src/turns/queue.ts:TurnSlots' },
      { aside: 'src/turns/turn-log.ts:createTurnLog', through: 'src/turns/turn-log.ts:TurnLog' },
      { to: 'src/turns/turn.ts:createRunTurn', through: 'src/turns/turn.ts:RunTurn' },
      {
        to: 'src/turns/prepared-step.ts:createPrepareStep',
        through: 'src/turns/prepared-step.ts:PrepareStep',
      },
      {
        to: 'src/toolbox/scoped-tools.ts:createScopedTools',
        through: 'src/toolbox/scoped-tools.ts:FindScopedTools',
      },
      { aside: 'src/toolbox/catalogue.ts:createCatalogue', through: 'src/toolbox/catalogue.ts:Catalogue' },
      { aside: 'src/prompt/scope.ts:effectiveScope' },
      { aside: 'src/prompt/patterns.ts:parseScope' },
      { from: 'src/turns/prepared-step.ts:createPrepareStep' },
      {
        to: 'src/prompt/gather-snapshot.ts:createSnapshots',
        through: 'src/prompt/gather-snapshot.ts:Snapshots',
      },
      {
        aside: 'src/prompt/calibration/calibration.ts:createCalibrations',
        through: 'src/prompt/calibration/calibration.ts:Calibrations',
      },
      { aside: 'src/prompt/checkpoint.ts:checkpointOf' },
      { from: 'src/turns/prepared-step.ts:createPrepareStep' },
      { to: 'src/adapters/lua/composer.ts:createComposer', through: 'src/prompt/ports.ts:Composer' },
      { to: 'src/adapters/lua/pool.ts:ProcessPool' },
      { aside: 'src/adapters/lua/sent-once.ts:createToolSender' },
      { to: 'src/adapters/lua/wrap-process.ts:WrapProcess' },
      {
        to: 'src/adapters/lua/process/main.ts:answer',
        through: 'src/adapters/lua/process/protocol.ts:ResponseLine',
      },
      { aside: 'src/adapters/lua/sent-once.ts:createToolReceiver' },
      { to: 'src/prompt/compose-prompt.ts:composePrompt' },
      { aside: 'src/prompt/run-layers.ts:runLayers' },
      { aside: 'src/prompt/layers.ts:readLayers' },
      { aside: 'src/prompt/budget.ts:fillBudget' },
      { to: 'src/adapters/lua/lua-states.ts:createEngine', through: 'src/prompt/ports.ts:LuaEngine' },
      {
        to: 'src/adapters/lua/wasmoon/state.ts:loadWasmoonStates',
        through: 'src/adapters/lua/lua-states.ts:LuaStates',
      },
      { data: 'lua/sandbox.lua' },
      { data: 'lua/default.lua' },
      { data: 'lua/wrap.lua' },
      { data: 'lua/tools.lua' },
      { data: 'lua/json.lua' },
      { from: 'src/turns/prepared-step.ts:createPrepareStep' },
      { aside: 'src/toolbox/offer.ts:createOffer' },
      { from: 'src/turns/turn.ts:createRunTurn' },
      { to: 'src/turns/step.ts:streamStep' },
      {
        to: 'src/adapters/models/openai-compatible.ts:chatCompletions',
        through: 'src/turns/ports.ts:LanguageModel',
      },
      { aside: 'src/adapters/models/sdk-model.ts:sdkModel' },
      { aside: 'src/adapters/models/sdk-prompt.ts:sdkPrompt' },
      { to: 'src/adapters/models/guarded-fetch.ts:guardedFetch' },
    ],
  },
  {
    // From a tool call of a model's turn to the child process of `run_command`.
    name: 'call → child',
    wanted: 16,
    steps: [
      { from: 'src/turns/turn.ts:converse' },
      { aside: 'src/toolbox/tool-call.ts:createCallCheck' },
      { to: 'src/toolbox/toolbox.ts:executeTools' },
      { to: 'src/toolbox/room-toolbox.ts:createToolboxes', through: 'src/toolbox/toolbox.ts:Toolbox' },
      {
        aside: 'src/toolbox/scoped-tools.ts:createScopedTools',
        through: 'src/toolbox/scoped-tools.ts:FindScopedTools',
      },
      {
        aside: 'src/adapters/sandbox/workspaces.ts:createWorkspaces',
        through: 'src/tools/ports/workspace.ts:Workspaces',
      },
      { to: 'src/toolbox/toolbox.ts:toolboxOf' },
      { aside: 'src/toolbox/offer.ts:createOffer', through: 'src/toolbox/offer.ts:Offer' },
      { aside: 'src/toolbox/tool-call.ts:parseArguments' },
      { to: 'src/toolbox/run-tool.ts:createToolRunner', through: 'src/toolbox/run-tool.ts:ToolRunner' },
      { aside: 'src/lib/jobs/deadline.ts:underDeadline' },
      { aside: 'src/tools/permission.ts:questionFor' },
      { aside: 'src/tools/permission.ts:refusalOf' },
      {
        to: 'src/approvals/approvals.ts:createApprovals',
        through: 'src/tools/context.ts:PermissionProvider',
      },
      { aside: 'src/approvals/grants.ts:createGrants' },
      { aside: 'src/approvals/questions.ts:createQuestions' },
      { from: 'src/toolbox/run-tool.ts:createToolRunner' },
      { to: 'src/tools/builtin/run-command.ts:runCommand', through: 'src/tools/tool.ts:Tool' },
      {
        to: 'src/adapters/sandbox/workspace.ts:createWorkspace',
        through: 'src/tools/ports/workspace.ts:Workspace',
      },
      { aside: 'src/adapters/sandbox/follow-path.ts:followPath' },
      { aside: 'src/adapters/sandbox/launch.ts:launchConfined' },
      { to: 'src/adapters/sandbox/supervise.ts:supervise' },
      { aside: 'src/adapters/sandbox/output.ts:collectOutput' },
    ],
  },
]
