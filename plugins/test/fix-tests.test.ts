/** "Fix the failing test", from the first look to the last run: what a model needs the tools for. */
import { execFileSync } from 'node:child_process'
import { readFile as read, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, type ModelRequest, type RunEvent, toText } from '@svc/core'
import { type Script, type ScriptedToolCall, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, findSandbox } from '../src/index.ts'
import { createWorkspace } from './fixtures/tool-context.ts'

const test = suite('fixing a failing test')

interface Project {
  name: string
  files: Record<string, string>
  /** Where the bug is, the line that is wrong, and what is right. */
  file: string
  wrong: string
  right: string
  command: string[]
  /** What the failing test prints. */
  says: RegExp
}

const NODE_TEST = ['node', '--test']
const test1 = (name: string, body: string): string =>
  `const test = require('node:test')\nconst assert = require('node:assert')\ntest('${name}', () => {\n${body}\n})\n`

const PROJECTS: Project[] = [
  {
    name: 'a parser whose lines end as on Windows',
    files: {
      'parse.js': "exports.parse = (text) =>\r\n  text\r\n    .split(';')\r\n    .map((cell) => cell.trim())\r\n",
      'parse.test.js': test1(
        'splits at commas',
        "  assert.deepStrictEqual(require('./parse.js').parse('a, b'), ['a', 'b'])",
      ),
      'package.json': '{ "name": "csv", "scripts": { "test": "node --test" } }\n',
    },
    file: 'parse.js',
    wrong: "  text\n    .split(';')\n",
    right: "  text\n    .split(',')\n",
    command: NODE_TEST,
    says: /splits at commas/,
  },
  {
    name: 'a Python module',
    files: {
      'leap.py': 'def is_leap(year):\n    return year % 4 == 0 and year % 100 != 0 and year % 400 == 0\n',
      'test_leap.py':
        'import unittest\nfrom leap import is_leap\n\nclass Leap(unittest.TestCase):\n    def test_years(self):\n        self.assertTrue(is_leap(2024))\n        self.assertFalse(is_leap(1900))\n        self.assertTrue(is_leap(2000))\n',
    },
    file: 'leap.py',
    wrong: 'year % 100 != 0 and year % 400 == 0',
    right: '(year % 100 != 0 or year % 400 == 0)',
    command: ['python3', '-m', 'unittest'],
    says: /AssertionError: False is not true/,
  },
]
/** What the last tool answered. */
const lastResult = ({ messages }: ModelRequest): string => toText(messages.at(-1)?.content ?? [])

/** A model that reads what it gets: each turn says what it must have seen, and what it does then. */
function fixing({ file, wrong, right, command, says }: Project): Script {
  const call = (tool: string, args: unknown): { toolCalls: ScriptedToolCall[] } => ({ toolCalls: [{ tool, args }] })
  const line = wrong.trim().split('\n').at(-1)?.trim() ?? ''
  const turns: ((seen: string) => ReturnType<Script>)[] = [
    () => call('git_status', {}),
    () => call('run_command', { command }),
    (seen) => {
      assert.is.not(JSON.parse(seen).exitCode, 0)
      assert.match(seen, says)
      return call('search_files', { query: line })
    },
    (seen) => {
      assert.match(seen, `${file}:`)
      return call('read_file', { path: file })
    },
    (seen) => {
      assert.match(seen, line)
      return call('edit_file', { path: 'package.json', edits: [{ find: 'node --test', replace: 'true' }] })
    },
    () => call('run_command', { command: ['rm', '-rf', 'test'] }),
    (seen) => {
      assert.match(seen, 'approval_denied')
      return call('edit_file', { path: file, edits: [{ find: wrong, replace: right }] })
    },
    (seen) => {
      assert.match(seen, `edited ${file}: 1 place`)
      return call('run_command', { command })
    },
    (seen) => {
      assert.is(JSON.parse(seen).exitCode, 0, seen)
      return call('git_diff', {})
    },
    (seen) => `The test passes now. What I changed:\n${seen}`,
  ]
  return (request, index) => turns[index]?.(lastResult(request)) ?? 'There is nothing left to do.'
}

/** A repository with the bug in it, committed. */
async function createRepository({ files }: Project) {
  const made = await createWorkspace(files)
  const { workspace } = made
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, stdio: 'pipe' })
  git('init', '-q')
  git('add', '.')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'Start')
  return made
}

const { kind, problems } = await findSandbox()
if (kind === undefined) console.log(`skipped: ${problems.join('; ')}`)
for (const project of kind === undefined ? [] : PROJECTS) {
  test(`${project.name}: the test passes at the end, and only what was meant has changed`, async () => {
    const { workspace } = await createRepository(project)
    const before = await read(join(workspace, project.file), 'utf8')
    const provider = scriptedProvider('scripted', fixing(project))
    const model = definePlugin('scripted-model', ({ providers }) => providers.add('scripted', provider))()
    const rules = [{ tool: 'run_command', decision: 'allow' as const, command: project.command }]
    const runtime = await createRuntime(
      { model: 'scripted/scripted', policy: { rules } },
      { workspace: await realpath(workspace), plugins: [model], env: {} },
    )
    const asked: string[] = []
    const events: RunEvent[] = []
    runtime.onEvent((event) => {
      events.push(event)
      if (event.type !== 'approval.requested') return
      const { id, tool, args, preview } = event.data
      const isMeant = tool === 'edit_file' && (args as { path: string }).path === project.file
      asked.push(
        `${tool} ${isMeant ? preview.split('\n').filter((line) => /^[-+]/.test(line)).length : preview.split('\n')[0]}`,
      )
      runtime.approvals.resolve(id, { decision: isMeant ? 'approve' : 'deny' }).catch(() => {})
    })
    const create = { task: 'Fix the failing test.', topology: 'SINGLE', reflect: false, consensus: false } as const
    const { id } = await runtime.runs.create({ ...create, approval: 'wait' })
    for (let run = await runtime.runs.wait(id); run.status === 'waiting'; run = await runtime.runs.wait(id)) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const run = await runtime.runs.get(id)
    await runtime.close()
    assert.is(run.error, undefined)

    // the change that was meant, and no other
    const ending = before.includes('\r\n') ? '\r\n' : '\n'
    const [wrong, right] = [project.wrong, project.right].map((text) => text.replaceAll('\n', ending)) as [
      string,
      string,
    ]
    assert.is(await read(join(workspace, project.file), 'utf8'), before.replace(wrong, right))
    const changed = execFileSync('git', ['status', '--porcelain', '-uno'], { cwd: workspace, encoding: 'utf8' })
    assert.is(changed, ` M ${project.file}\n`)
    execFileSync(project.command[0] ?? '', project.command.slice(1), { cwd: workspace, stdio: 'pipe' })

    // each step was asked about or allowed as the policy says
    assert.is(asked.length, 3)
    assert.match(asked[0] ?? '', /^edit_file path: /)
    assert.is(asked[1], 'run_command command: rm -rf test')
    assert.match(asked[2] ?? '', /^edit_file [46]$/)
    const ran = events.flatMap((event) =>
      event.type === 'tool.started' ? [`${event.data.tool} ${event.data.sandbox}`] : [],
    )
    assert.equal(ran, [
      `git_status ${kind}`,
      `run_command ${kind}`,
      'search_files none',
      'read_file none',
      'edit_file none',
      `run_command ${kind}`,
      `git_diff ${kind}`,
    ])
    const diff = events.flatMap((event) =>
      event.type === 'tool.completed' && event.data.tool === 'git_diff' ? [event.data.result] : [],
    )
    assert.match(diff[0] ?? '', project.right.trim().split('\n').at(-1) ?? '')
  })
}

test.run()
