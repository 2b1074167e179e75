/** S17: a model calls only what it was given, with arguments that fit, and what rules forbid is forbidden in every shape. */
import { readdir } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { callTools, codesOf } from '../fixtures/call-tools.ts'
import { createWorkspace } from '../fixtures/tool-context.ts'
import { type attack, forbiddenCalled, HALVES, SHAPES, said, unsaid, wronglyAllowed } from './s17-attack.ts'

const test = suite('S17 agency')

test('tools that are not there, that the run leaves out, and arguments that do not fit', async () => {
  const { workspace } = await createWorkspace({ 'a.txt': 'a', '.git/HEAD': 'ref: refs/heads/main' })
  const calls = [
    { tool: 'no_such_tool', args: {} },
    { tool: 'read_file', args: { path: 'a.txt', extra: true } },
    { tool: 'read_file', args: { path: 7 } },
    { tool: 'read_file', args: { path: ['a.txt'] } },
    { tool: 'read_file', args: 'a.txt' },
    { tool: 'read_file', args: null },
    { tool: 'git_diff', args: { revision: '--output=/tmp/x' } },
    { tool: 'git_diff', args: { revision: 'HEAD -c core.pager=x' } },
    { tool: 'git_log', args: { revision: 'HEAD:secrets/key' } },
    { tool: 'list_files', args: {} },
    { tool: 'search_files', args: { query: 'a' } },
  ]
  const run = { tools: { allow: ['read_file', 'git_*', 'list_files'], deny: ['list_*'] } }
  assert.equal(await codesOf(workspace, calls, { run }), [
    'tool_not_found',
    ...Array.from({ length: 8 }, () => 'tool_bad_args'),
    'policy_denied',
    'policy_denied',
  ])
})

test('where only a plan is made nothing is written, whatever is allowed', async () => {
  const { workspace } = await createWorkspace()
  const rules = [{ tool: '*', decision: 'allow' as const }]
  const calls = [{ tool: 'write_file', args: { path: 'a', content: 'x' } }]
  const options = { config: { policy: { rules } }, run: { mode: 'plan', approval: 'allow-write' } }
  await callTools(workspace, calls, options).catch(() => {})
  assert.equal(await readdir(workspace), [])
})

test(`${SHAPES.length} shapes of arguments that touch what a rule forbids, to a tool that says nothing of them`, async () => {
  assert.equal(await forbiddenCalled(), [])
})

test('a rule that allows paths or a command allows no call that touches more, and none of a tool that does not say', async () => {
  assert.equal(await wronglyAllowed(), [])
  const { workspace } = await createWorkspace()
  const rules = [{ tool: 'said', decision: 'allow' as const, paths: ['docs/*'], hosts: ['*.good.example'] }]
  const touch = (paths: string[], hosts: string[]) => ({ tool: 'said', args: { paths, hosts } })
  const calls = [
    touch(['docs/a'], ['https://www.good.example/x']),
    touch(['docs/a'], ['https://www.good.example.evil.example/']),
    touch(['docs/a'], ['https://good.example@evil.example/']),
    touch(['docs/a', '../docs/b'], ['good.example']),
    touch(['docs/a'], []),
  ]
  const [first, ...others] = await codesOf(workspace, calls, { config: { policy: { rules } }, tools: [said()] })
  assert.equal([first, new Set(others)], ['ok', new Set(['approval_required'])])
})

test('a tool that says what it touches is not refused for a word in another argument', async () => {
  const { workspace } = await createWorkspace({ 'a.md': 'x' })
  const rules = [{ tool: '*', decision: 'deny' as const, paths: ['secrets', '.env'], hosts: ['evil.example'] }]
  const calls = [
    { tool: 'search_files', args: { query: '.env' } },
    { tool: 'write_file', args: { path: 'a.md', content: 'secrets' } },
    { tool: 'calculate', args: { expression: '1 + 1' } },
  ]
  const options = { config: { policy: { rules } }, run: { approval: 'allow-write' } }
  assert.equal(await codesOf(workspace, calls, options), ['ok', 'ok', 'ok'])
})

test('a call whose tool cannot tell what it touches is asked about', async () => {
  const { workspace } = await createWorkspace()
  const broken = unsaid(undefined, { risk: 'read', touches: () => Promise.reject(new Error('no')) })
  assert.equal(await codesOf(workspace, [{ tool: 'other', args: {} }], { tools: [broken] }), ['approval_required'])
})

test('without a look at every text, and with one at the texts of an allowed call, each gets through', async () => {
  const file = 'core/src/runtime/calls/policy/match-rule.ts'
  const found = (await attackWithout('plugins/test/security/s17-attack.ts', [
    { file, name: 'textsOf', weaken: "(real) => (value) => (typeof value === 'string' ? [] : real(value))" },
    { file, name: 'isMet', weaken: '() => (allows, values, matches) => allows || values.some(matches)' },
  ])) as Awaited<ReturnType<typeof attack>>
  assert.is(found.forbidden.length, SHAPES.length - 1) // but the name of a field
  assert.ok(found.allowed.length >= HALVES.length, JSON.stringify(found.allowed))
})

test.run()
