/** Programs of a project's MCP servers that change while a runtime is there. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig, recordTrust } from '@svc/core/config'
import { createRuntime } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { newPlace, scriptOf, TASK } from '../fixtures/mcp/trials.ts'
import { modelOf } from '../fixtures/runs.ts'

const test = suite('changed programs of MCP servers')

test('a server of a project whose program changed since it was trusted is not started before it is trusted again', async () => {
  const { workspace, home, env } = newPlace()
  const program = (mark: string): string => `require('node:fs').writeFileSync(${JSON.stringify(join(home, mark))}, '')`
  const file = join(workspace, 'server.cjs')
  writeFileSync(file, program('first'))
  const servers = { own: { command: process.execPath, args: ['./server.cjs'] } }
  writeFileSync(join(workspace, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
  const userDir = join(home, 'svc')
  await recordTrust(workspace, { userDir })
  const load = () => loadConfig({ cwd: workspace, userDir, env, managedFile: join(home, 'none.json') })
  const runtime = await createRuntime(await load(), {
    env,
    persist: false,
    plugins: [modelOf(scriptOf([], []))],
  })
  const warningsOfRun = async (): Promise<string> => {
    const { id } = await runtime.runs.create({ ...TASK, model: 'scripted/scripted' })
    for await (const _ of runtime.runs.events(id));
    const { warnings = [] } = (await runtime.runs.result(id)) as { warnings?: { message: string }[] }
    return warnings.map(({ message }) => message).join('\n')
  }
  try {
    writeFileSync(file, program('second'))
    assert.match(
      await warningsOfRun(),
      /the MCP server "own" is not started: server\.cjs, .* changed since it was trusted/,
    )
    assert.equal([existsSync(join(home, 'first')), existsSync(join(home, 'second'))], [false, false])
    await recordTrust(workspace, { userDir })
    await runtime.reload(await load())
    // It starts, and ends at once: it is no server.
    assert.not.match(await warningsOfRun(), /is not started/)
    assert.is(existsSync(join(home, 'second')), true)
  } finally {
    await runtime.close()
  }
})

test.run()
