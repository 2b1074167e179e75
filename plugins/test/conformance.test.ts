/** What svc brings keeps the contracts that it holds replacements against. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Plugin, SLOTS, ThreeLayerMemory, type Tool } from '@svc/core'
import { checkPlugin, checkProvider, checkTool, scriptedProvider, type ToolCheckOptions } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMemoryApi } from '../src/defaults/memory/memory-api.ts'
import { WriteQueue } from '../src/defaults/memory/write-queue.ts'
import {
  analyze,
  consensus,
  createProvider,
  defaultPlugins,
  memory,
  orchestrate,
  ProgramRunner,
  reflect,
} from '../src/index.ts'
import { builtinTools, createRecallTool, createRememberTool } from '../src/tools/index.ts'

const test = suite('conformance')

/** A loaded machine is no fault of theirs: what ignores an abort goes on for longer than this. */
const LIMITS = { abortWithinMs: 60_000, settleWithinMs: 120_000 }

for (const slot of SLOTS) {
  test(`the default plugin of ${slot} passes checkPlugin`, async () => {
    assert.equal(await checkPlugin(() => defaultPlugins()[slot], LIMITS), [])
  })
}

const ASSISTED: readonly (() => Plugin)[] = [
  () => analyze({ llm: true }),
  () => orchestrate({ llm: true }),
  () => memory({ llm: true }),
  () => reflect({ llm: true }),
  () => consensus({ llm: true }),
]
for (const make of ASSISTED) {
  test(`the plugin ${make().name} passes checkPlugin with \`llm: true\``, async () => {
    assert.equal(await checkPlugin(make, LIMITS), [])
  })
}

test('the offline and the scripted provider pass checkProvider', async () => {
  const offline = () => createProvider('offline', { type: 'offline' }, { env: {} })
  assert.equal(await checkProvider(offline, { abortWithinMs: LIMITS.abortWithinMs }), [])
  assert.equal(
    await checkProvider(() => scriptedProvider('scripted', () => 'Hello.'), { abortWithinMs: LIMITS.abortWithinMs }),
    [],
  )
})

const prepare = (workspace: string): void => {
  writeFileSync(join(workspace, 'notes.md'), 'The north has 41 shops.\n')
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: workspace })
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'one')
}

/** Arguments with which each tool works in that workspace. */
const ARGS: Readonly<Record<string, ToolCheckOptions>> = {
  list_files: { args: { path: '.' } },
  read_file: { args: { path: 'notes.md' } },
  search_files: { args: { query: 'north' } },
  edit_file: { args: { path: 'notes.md', edits: [{ find: '41', replace: '42' }] } },
  write_file: { args: { path: 'new.md', content: 'x' } },
  recall: { args: { query: 'shops' } },
  calculate: { args: { expression: '41 + 17' } },
  http_fetch: { args: { url: 'https://svc.example/' } },
  ask_user: { args: { question: 'Which region?' } },
  run_command: { args: { command: ['cat', 'notes.md'] }, slowArgs: { command: ['sleep', '3000'] } },
  shell: { args: { script: 'cat notes.md' }, slowArgs: { script: 'sleep 3000' } },
}

const guarded = { folders: [], programs: [] }
const runner = new ProgramRunner({ sandbox: 'none', guarded })
const tools = (): Tool[] => {
  const socket = { provide: () => {}, get: () => createMemoryApi(new ThreeLayerMemory(), new WriteQueue()) }
  return [
    ...builtinTools({ guarded, runner, shell: true, git: true }),
    createRememberTool(socket),
    createRecallTool(socket),
  ]
}
for (const { id } of tools()) {
  test(`the tool ${id} passes checkTool`, async () => {
    const make = (): Tool => tools().find((tool) => tool.id === id) as Tool
    assert.equal(await checkTool(make, { ...LIMITS, prepare, ...ARGS[id] }), [])
  })
}

test.run()
