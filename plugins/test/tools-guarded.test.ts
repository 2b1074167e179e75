/** Tools of a config run in the sandbox, and what they run is not changed unasked. */
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, type SvcConfig, type ToolConfig } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, findSandbox, ProgramRunner, toTool } from '../src/index.ts'
import { createContext, createWorkspace, failureOf, runTool } from './fixtures/tool-context.ts'

const test = suite('tools of a config in the sandbox')

const parameters = { type: 'object', properties: { path: { type: 'string' } } }

/** What became of one call of a tool in a run with `--yes`. */
async function callIn(workspace: string, tool: string, args: object, config: SvcConfig): Promise<string> {
  const provider = scriptedProvider('scripted', (_, index) =>
    index === 0 ? { toolCalls: [{ tool, args }] } : { text: 'done' },
  )
  const model = definePlugin('scripted-model', ({ providers }) => providers.add('scripted', provider))()
  const runtime = await createRuntime(
    { model: 'scripted/scripted', ...config },
    { workspace, plugins: [model], env: { HOME: join(workspace, '..', 'home') } },
  )
  const ends: string[] = []
  runtime.onEvent(({ type, data }) => {
    if (/^tool\.(completed|denied|failed)$/.test(type)) ends.push(`${type} ${'rule' in data ? data.rule : ''}`.trim())
  })
  const create = { topology: 'SINGLE', reflect: false, consensus: false, approval: 'allow-write' } as const
  const { id } = await runtime.runs.create({ task: 'Do it.', ...create })
  await runtime.runs.wait(id)
  await runtime.close()
  return ends.join()
}

test('with --yes a file is written, but not one that a tool runs, nor svc config or a package', async () => {
  const { workspace, remove } = await createWorkspace({ 'scripts/check.sh': '#!/bin/sh\necho checked\n' })
  const check: ToolConfig = { description: 'Checks.', parameters, risk: 'read', command: ['./scripts/check.sh'] }
  const rules = [{ tool: 'write_file', decision: 'allow' as const }]
  for (const config of [{ tools: { check } }, { tools: { check }, policy: { rules } }]) {
    const write = (path: string) => callIn(workspace, 'write_file', { path, content: 'x' }, config)
    assert.is(await write('scripts/other.sh'), 'tool.completed')
    for (const path of ['scripts/check.sh', 'svc.config.ts', 'package.json', '.svc/plugins/a.ts', '.env'])
      assert.is(await write(path), 'tool.denied always-asks', path)
    assert.is(await write('.git/hooks/pre-commit'), 'tool.denied policy_denied')
  }
  await remove()
})

const { kind } = await findSandbox()
if (kind !== undefined) {
  const runner = new ProgramRunner({ guarded: { folders: [], programs: [] } })
  const tool = (command: string[], more: Partial<ToolConfig> = {}) =>
    toTool('x', { description: 'For a test.', parameters, risk: 'read', command, ...more }, { runner })

  test('a command of a config reads the workspace and nothing else, and changes it where its risk says so', async () => {
    const { top, workspace, remove } = await createWorkspace({ 'a.txt': 'hello', 'w.sh': '#!/bin/sh\necho x > made\n' })
    await chmod(join(workspace, 'w.sh'), 0o755)
    const context = createContext(workspace)
    const cat = tool(['cat', '--', '{path}'])
    assert.is(await runTool(cat, { path: 'a.txt' }, context), 'hello')
    for (const path of [`/proc/${process.pid}/environ`, '/etc/shadow', `${top}/ws/../../x`, '/root/.profile']) {
      assert.is((await failureOf(cat.run({ path }, context))).code, 'path_outside_root', path)
      const unsaid = tool(['cat', '--', '{path}'], { touches: { paths: [] } })
      assert.is((await failureOf(unsaid.run({ path }, context))).code, 'tool_failed', path)
    }
    assert.match((await failureOf(tool(['./w.sh']).run({}, context))).message, 'Read-only file system')
    assert.is(await runTool(tool(['./w.sh'], { risk: 'write' }), {}, context), '')
    assert.is(await runTool(cat, { path: 'made' }, context), 'x')
    await remove()
  })

  test('a command that needs what the sandbox hides says so in its config', async () => {
    const { top, workspace, remove } = await createWorkspace()
    await writeFile(join(top, 'beside.txt'), 'beside')
    const cat = ['cat', '--', '{path}']
    const args = { path: '../beside.txt' }
    assert.is((await failureOf(tool(cat).run(args, createContext(workspace)))).code, 'path_outside_root')
    const own = tool(cat, { sandbox: false, touches: { paths: [] } })
    assert.is(await runTool(own, args, createContext(workspace)), 'beside')
    await remove()
  })
}

test.run()
