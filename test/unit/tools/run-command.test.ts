import { expect, it } from 'vitest'
import type { ProcessOutcome, ProcessSpec, Workspace } from '../../../src/tools/workspace.ts'
import { WorkspaceError } from '../../../src/words/errors.ts'
import { runCommand } from '../../../src/tools/builtin/run-command.ts'
import { contextFor } from './context.ts'
import { callTool } from '../../support/call-tool.ts'

/** A workspace that writes down the commands it is given; each ends in the same way. */
function workspaceThat(end: Partial<ProcessOutcome> | Error, change: Partial<Workspace> = {}) {
  const commands: ProcessSpec[] = []
  const workspace = {
    checkDirectory: async () => {},
    run: async (command: ProcessSpec) => {
      commands.push(command)
      if (end instanceof Error) throw end
      return { output: '', timedOut: false, ...end }
    },
    ...change,
  } as Workspace
  return { workspace, commands }
}

it.each([
  [{ exitCode: 0, output: 'done\n' }, 'done\n'],
  [{ exitCode: 0 }, 'The command succeeded and wrote nothing.'],
  [{ exitCode: 2, output: 'no\n' }, 'ERROR: run_command: the command exited with code 2\nno\n'],
  [{ exitCode: 1 }, 'ERROR: run_command: the command exited with code 1 and wrote nothing'],
  [
    { signal: 'SIGKILL', timedOut: true, notice: 'stopped: it ran longer than 1s', output: 'one\n' },
    'ERROR: run_command: the command was killed by SIGKILL [stopped: it ran longer than 1s]\none\n',
  ],
  [
    { exitCode: 2, notice: 'it had taken 500 MiB' },
    'ERROR: run_command: the command exited with code 2 [it had taken 500 MiB] and wrote nothing',
  ],
  [{ exitCode: 0, notice: 'the workspace is full', output: 'one\n' }, '[the workspace is full]\none\n'],
  [new WorkspaceError('commands cannot run: no'), 'ERROR: run_command: commands cannot run: no'],
])('run_command reports the end %j', async (end, content) => {
  const { workspace } = workspaceThat(end)
  const result = await callTool(runCommand, { command: 'x' }, contextFor(workspace))
  expect(result).toEqual({ content, isError: content.startsWith('ERROR:') })
})

it('run_command asks for no permission if its directory is unusable', async () => {
  const { workspace, commands } = workspaceThat(
    { exitCode: 0 },
    { checkDirectory: () => Promise.reject(new WorkspaceError("working_dir 'x' is not a directory")) },
  )
  const context = contextFor(workspace)
  const { content } = await callTool(runCommand, { command: 'ls', working_dir: 'x' }, context)
  expect(content).toBe("ERROR: run_command: working_dir 'x' is not a directory")
  expect([context.asked, commands]).toEqual([[], []])
})

it('run_command asks for permission with the full command and runs nothing if denied', async () => {
  const { workspace, commands } = workspaceThat({ exitCode: 0 })
  const context = contextFor(workspace, 'deny')
  const result = await callTool(runCommand, { command: 'rm -rf build\nls', working_dir: 'src' }, context)
  expect(result.content).toBe("ERROR: Permission denied: run 'rm -rf build\nls'?")
  expect(context.asked).toEqual([
    expect.objectContaining({
      tool: 'run_command',
      access: 'execute',
      target: 'cd src && rm -rf build\nls',
      detail: 'rm -rf build\nls\n(in "src")',
    }),
  ])
  expect(context.asked[0]).not.toHaveProperty('onceOnly')
  expect(commands).toEqual([])
})

it('a run_command request names the network and a missing sandbox, and can be allowed once', async () => {
  const { workspace, commands } = workspaceThat({ exitCode: 0 }, { unsandboxed: true })
  const context = contextFor(workspace)
  await callTool(runCommand, { command: 'curl x', network: true }, context)
  expect(context.asked).toEqual([
    expect.objectContaining({
      access: 'network',
      onceOnly: true,
      detail: 'curl x\n(with the network)\n(without a sandbox)',
    }),
  ])
  expect(commands).toEqual([{ shell: 'curl x', network: true }])
})

it.each([
  [{}, 'command is required (a string)'],
  [{ command: '' }, 'command must be at least 1 characters long, got ""'],
  [{ command: 'x', network: 'yes' }, 'network must be a boolean, got "yes"'],
  [{ command: 'x', cwd: '/' }, `unknown parameter "cwd"; it takes 'command', 'working_dir', 'network'`],
])('run_command refuses %j with a hint', async (args, message) => {
  const { workspace, commands } = workspaceThat({ exitCode: 0 })
  expect((await callTool(runCommand, args, contextFor(workspace))).content).toBe(
    `ERROR: run_command: ${message}`,
  )
  expect(commands).toEqual([])
})
