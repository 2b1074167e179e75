/** Tools of a config run in the sandbox, and what they run is not changed unasked. */
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolConfig } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findSandbox, ProgramRunner, toTool } from '../src/index.ts'
import { createContext, createWorkspace, failureOf, runTool } from './fixtures/tool-context.ts'

const test = suite('tools of a config in the sandbox')

const parameters = { type: 'object', properties: { path: { type: 'string' } } }

const { kind } = await findSandbox()
if (kind !== undefined) {
  const runner = new ProgramRunner({ guarded: { folders: [], programs: [] } })
  const tool = (command: string[], more: Partial<ToolConfig> = {}) =>
    toTool('x', { description: 'For a test.', parameters, risk: 'read', command, ...more }, { runner })

  test('a command of a config reads the workspace and nothing else, and changes it where its risk says so', async () => {
    const { top, workspace } = await createWorkspace({ 'a.txt': 'hello', 'w.sh': '#!/bin/sh\necho x > made\n' })
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
  })

  test('a command that needs what the sandbox hides says so in its config', async () => {
    const { top, workspace } = await createWorkspace()
    await writeFile(join(top, 'beside.txt'), 'beside')
    const cat = ['cat', '--', '{path}']
    const args = { path: '../beside.txt' }
    assert.is((await failureOf(tool(cat).run(args, createContext(workspace)))).code, 'path_outside_root')
    const own = tool(cat, { sandbox: false, touches: { paths: [] } })
    assert.is(await runTool(own, args, createContext(workspace)), 'beside')
  })
}

test.run()
