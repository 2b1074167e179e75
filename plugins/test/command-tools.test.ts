/** Tools with a `command` name anything that a command line can: files, folders, scripts of a shell, long texts. */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, type LoadedConfig, type ToolConfig } from '@svc/core'
import { loadConfig, recordTrust } from '@svc/core/config'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, findSandbox } from '../src/index.ts'
import { createWorkspace } from './fixtures/tool-context.ts'

const test = suite('command tools')

const FILES = {
  'scripts/t.js': 'console.log("t ran")',
  'scripts/bare': '#!/bin/sh\necho bare ran\n',
  'run.sh': '#!/bin/sh\necho run.sh ran "$@"\n',
  'my scripts/a b.js': 'console.log("spaces ran")',
  'data/one.txt': 'one',
}

const described = (command: string[], more: Partial<ToolConfig> = {}): ToolConfig => ({
  description: 'For a test.',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  risk: 'execute',
  command,
  ...more,
})

/** A trusted folder whose tools are drop-in files, or in its config, loaded as the command line loads it. */
async function trusted(tools: Record<string, ToolConfig>, areDropIns = true) {
  const dropIns = Object.entries(tools).map(([id, tool]) => [`.svc/tools/${id}.json`, JSON.stringify(tool)])
  const config = { model: 'scripted/scripted', ...(!areDropIns && { tools }) }
  const { top, workspace } = await createWorkspace({
    ...FILES,
    'svc.config.json': JSON.stringify(config),
    ...(areDropIns && Object.fromEntries(dropIns)),
  })
  await Promise.all(['scripts/bare', 'run.sh'].map((file) => chmod(join(workspace, file), 0o755)))
  const userDir = join(top, 'user')
  await recordTrust(workspace, { userDir })
  const env = { HOME: join(top, 'home'), XDG_CACHE_HOME: join(top, 'cache') }
  const load = (): Promise<LoadedConfig> => loadConfig({ cwd: workspace, userDir, managedFile: join(top, 'none'), env })
  return { workspace, env, load }
}

type Folder = Awaited<ReturnType<typeof trusted>>

/** What became of the calls that a model asks for one after the other, and that a person approves. */
async function call({ workspace, env, load }: Folder, calls: [tool: string, args?: object][]): Promise<string[]> {
  const provider = scriptedProvider('scripted', (_, index) => {
    const [tool, args = {}] = calls[index] ?? []
    return tool === undefined ? { text: 'done' } : { toolCalls: [{ tool, args }] }
  })
  const model = definePlugin('scripted-model', ({ providers }) => providers.add('scripted', provider))()
  const runtime = await createRuntime(await load(), { workspace, plugins: [model], env })
  const ends: string[] = []
  runtime.onEvent((event) => {
    if (event.type === 'approval.requested') {
      runtime.approvals.resolve(event.data.id, { decision: 'approve' }).catch(() => {})
    } else if (event.type === 'tool.completed') ends.push(event.data.result.trim())
    else if (event.type === 'tool.failed' || event.type === 'tool.denied') {
      ends.push(`${event.type} ${event.data.error?.code}: ${event.data.error?.message}`)
    }
  })
  const create = { topology: 'SINGLE', reflect: false, consensus: false, approval: 'wait' } as const
  const { id } = await runtime.runs.create({ task: 'Do it.', ...create })
  for (let run = await runtime.runs.wait(id); run.status === 'waiting'; ) run = await runtime.runs.wait(id)
  await runtime.close()
  return ends
}

const LONG = `said ${'word '.repeat(400)}`.trim()
const ONE_WORD = 'x'.repeat(5_000)

const COMMANDS: Record<string, [command: string[], printed: string]> = {
  script: [['node', 'scripts/t.js'], 't ran'],
  dotted: [['node', './scripts/t.js'], 't ran'],
  below_a_file: [['node', '-e', 'console.log(process.argv[1])', 'scripts/t.js/no/such'], 'scripts/t.js/no/such'],
  redirected: [['sh', '-c', 'echo read </dev/null; cat data/one.txt 2>/dev/null'], 'read\none'],
  bare: [['scripts/bare'], 'bare ran'],
  bare_by_shell: [['sh', 'scripts/bare'], 'bare ran'],
  spaces: [['node', 'my scripts/a b.js'], 'spaces ran'],
  inside: [['sh', '-c', './run.sh'], 'run.sh ran'],
  inside_more: [['sh', '-c', './run.sh one && node "my scripts/a b.js"'], 'run.sh ran one\nspaces ran'],
  folder: [['ls', 'data'], 'one.txt'],
  folder_by_shell: [['sh', '-c', 'ls data/ && cd scripts && ls t.js'], 'one.txt\nt.js'],
  long: [['node', '-e', 'console.log(process.argv[1])', LONG], LONG],
  one_word: [['sh', '-c', 'printf %s "$1"', 'sh', ONE_WORD], ONE_WORD],
  odd: [['printf', '%s', 'a*b?\u00e9\u2603 $(x) "q"\n\u0007'], 'a*b?\u00e9\u2603 $(x) "q"\n\u0007'.trim()],
}

const { kind } = await findSandbox()
for (const isConfined of kind === undefined ? [false] : [true, false]) {
  const where = isConfined ? 'in the sandbox' : 'without a sandbox'
  const more = isConfined ? {} : { sandbox: false }

  test(`a command names files, folders, scripts of a shell and long texts, and runs ${where}`, async () => {
    const tools = Object.entries(COMMANDS).map(([id, [command]]) => [id, described(command, more)] as const)
    const folder = await trusted(Object.fromEntries(tools))
    const ends = await call(
      folder,
      tools.map(([id]) => [id]),
    )
    for (const [index, [id, [, printed]]] of Object.entries(COMMANDS).entries()) assert.is(ends[index], printed, id)
  })

  test(`a program that cannot be started is named, with what to do, ${where}`, async () => {
    const cases: Record<string, [command: string[], said: RegExp]> = {
      absent: [
        ['no-such-program-here', 'x'],
        /"no-such-program-here" cannot be started: .*no such program.* Install it/,
      ],
      gone: [['./scripts/gone.sh'], /"\.\/scripts\/gone\.sh" cannot be started: there is no such program/],
      below: [['scripts/t.js/x'], /"scripts\/t\.js\/x" cannot be started: /],
      plain: [['./scripts/t.js'], /"\.\/scripts\/t\.js" cannot be started: .*chmod \+x/],
      folder: [['./scripts'], /"\.\/scripts" cannot be started: it is a folder/],
      huge: [['echo', 'x'.repeat(200_000)], /"echo" cannot be started: its arguments are longer .* into a file/],
    }
    const tools = Object.entries(cases).map(([id, [command]]) => [id, described(command, more)] as const)
    const folder = await trusted(Object.fromEntries(tools))
    const ends = await call(
      folder,
      tools.map(([id]) => [id]),
    )
    for (const [index, [id, [, said]]] of Object.entries(cases).entries()) {
      assert.match(ends[index] ?? '', said, id)
      assert.match(ends[index] ?? '', /^tool\.failed tool_failed: /, id)
    }
  })
}

test('a command with a NUL character is refused when it is loaded, with its place', async () => {
  const folder = await trusted({ nul: described(['echo', 'a\0b']) })
  const failure = await call(folder, [['nul']]).then(
    () => undefined,
    (error) => error,
  )
  assert.is(failure?.code, 'config_invalid')
  assert.match(failure?.message, 'tools.nul.command.1: holds a NUL character')
})

test('a script that a command names stays what it was: changes end the trust, and no call may change it unasked', async () => {
  const tools = {
    checked: described(['node', './scripts/t.js']),
    inside: described(['sh', '-c', './run.sh'], { risk: 'write' }),
    forger: described(['sh', '-c', 'echo evil > run.sh; echo evil > scripts/t.js'], { risk: 'write' }),
  }
  const folder = await trusted(tools, false)
  const { workspace } = folder
  if (kind !== undefined) {
    const [forged = '', ran] = await call(folder, [['forger'], ['inside']])
    assert.match(forged, /^tool\.failed tool_failed: "sh" ended with code/)
    assert.is(ran, 'run.sh ran')
  }
  for (const file of ['run.sh', 'scripts/t.js']) {
    assert.is(await readFile(join(workspace, file), 'utf8'), FILES[file as keyof typeof FILES])
  }
  await writeFile(join(workspace, 'scripts/t.js'), 'console.log("changed")')
  const loaded = await folder.load()
  assert.is(loaded.trusted, false)
  assert.ok(!loaded.tools.some(({ id }) => id === 'checked'))
})

test.run()
