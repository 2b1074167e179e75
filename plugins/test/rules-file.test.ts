/** The person's own config as an answer that holds always changes it. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AuditEntry, type Decision, definePlugin, type PolicyRule, type SvcError } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, openRulesFile } from '../src/index.ts'

const test = suite('rules file')

const rule: PolicyRule = { tool: 'run_command', decision: 'allow', command: ['npm', 'test'] }
const other: PolicyRule = { tool: 'write_file', decision: 'allow', paths: ['/x/src/**'] }

const place = (): string => join(realpathSync(mkdtempSync(join(tmpdir(), 'svc-rules-'))), 'svc')

/** A folder of a person with one config. @returns its path, and what the file says after rules were added */
async function added(name: string, text: string, rules: PolicyRule[] = [rule]): Promise<string> {
  const dir = place()
  mkdirSync(dir)
  writeFileSync(join(dir, name), text)
  const file = openRulesFile(dir)
  assert.is(file.path, join(dir, name))
  for (const one of rules) await file.add(one)
  return readFileSync(join(dir, name), 'utf8')
}

const failing = (name: string, text: string): Promise<SvcError> =>
  added(name, text).then(
    () => assert.unreachable('it was written'),
    (thrown) => thrown,
  )

test('a person without a config gets one that only they can read', async () => {
  const dir = place()
  const file = openRulesFile(dir)
  await file.add(rule)
  await file.add(other)
  await file.add(rule)
  assert.equal(JSON.parse(readFileSync(file.path ?? '', 'utf8')), { policy: { rules: [rule, other] } })
  assert.is(statSync(file.path ?? '').mode & 0o777, 0o600)
  assert.equal(readdirSync(dir), ['svc.config.json'])
  const { config } = await loadConfig({ userDir: dir, cwd: tmpdir(), env: {}, managedFile: join(dir, 'none') })
  assert.equal(JSON.parse(JSON.stringify(config.policy?.rules)), [rule, other])
})

test('all else of a JSON config stays as it is: order, indentation, fields that svc does not know', async () => {
  const text = '{\n\t"unknown": [1,  2],\n\t"model": "a/b",\n\t"policy": { "default": "ask" }\n}\n'
  const changed = await added('svc.config.json', text)
  assert.match(changed, /^\{\n\t"unknown": \[1, {2}2\],\n\t"model": "a\/b",/)
  assert.equal(JSON.parse(changed), { unknown: [1, 2], model: 'a/b', policy: { default: 'ask', rules: [rule] } })
  const twice = await added('.svcrc.json', JSON.stringify({ policy: { rules: [other] } }), [rule, other])
  assert.equal(JSON.parse(twice), { policy: { rules: [other, rule] } })
})

test('comments of a YAML config stay', async () => {
  const none = await added('svc.config.yaml', '# mine\nmodel: a/b # the good one\n', [rule, other])
  assert.match(none, /^# mine\nmodel: a\/b # the good one\npolicy:\n {2}rules:\n {4}- \{ "tool"/)
  assert.is(none.match(/- \{/g)?.length, 2)
  const some = await added(
    '.svcrc',
    'policy: # of mine\n    # first\n    rules:\n    - tool: x # one\n      decision: deny\n    default: ask\nmodel: a/b\n',
  )
  assert.match(some, /# of mine\n {4}# first\n {4}rules:\n {4}- \{ .* \}\n {4}- tool: x # one/)
})

test('what cannot be changed without losing something is refused, with the rule to add, and stays', async () => {
  const texts = [
    'policy: { rules: [] }\n',
    'policy:\n  rules: [{ tool: x, decision: deny }]\n',
    'a: &b\n  c: 1\npolicy: *b\n',
  ]
  for (const text of texts) {
    const thrown = await failing('svc.config.yaml', text)
    assert.is(thrown.code, 'config_invalid', text)
    assert.match(thrown.message, '"npm"')
  }
  const twice = await failing('svc.config.json', '{"policy":{"rules":[]},"policy":{"rules":[]}}')
  assert.is(twice.code, 'config_invalid')
  assert.is((await failing('svc.config.json', '{"policy": "no"}')).code, 'config_invalid')
})

test('fields of a YAML config that are still empty take the rule, and what is no config is refused in words', async () => {
  for (const text of ['policy:\n', 'policy:\n  rules:\nmodel: a/b\n', 'policy:\n  rules: # none yet\n'])
    assert.match(await added('svc.config.yaml', text), /^policy:\n {2}rules:.*\n {4}- \{ "tool"/)
  for (const text of ['[]', '"words"']) {
    const thrown = await failing('.svcrc.json', text)
    assert.is(thrown.code, 'config_invalid')
    assert.match(thrown.message, /"npm"/)
  }
})

test('a config that is code, or a package.json, has no place for rules', () => {
  const write = (name: string, text: string): string | undefined => {
    const dir = place()
    mkdirSync(dir)
    writeFileSync(join(dir, name), text)
    return openRulesFile(dir).path
  }
  assert.is(write('svc.config.ts', 'export default {}'), undefined)
  assert.is(write('package.json', '{"svc":{}}'), undefined)
})

test('a link stays a link, and a file keeps who may read it', async () => {
  const dir = place()
  mkdirSync(join(dir, 'real'), { recursive: true })
  writeFileSync(join(dir, 'real', 'mine.json'), '{}', { mode: 0o640 })
  chmodSync(join(dir, 'real', 'mine.json'), 0o640)
  symlinkSync(join(dir, 'real', 'mine.json'), join(dir, 'svc.config.json'))
  await openRulesFile(dir).add(rule)
  assert.ok(lstatSync(join(dir, 'svc.config.json')).isSymbolicLink())
  assert.equal(JSON.parse(readFileSync(join(dir, 'real', 'mine.json'), 'utf8')), { policy: { rules: [rule] } })
  assert.is(statSync(join(dir, 'real', 'mine.json')).mode & 0o777, 0o640)
})

test('many writers at once lose nothing', async () => {
  const dir = place()
  const rules = Array.from({ length: 12 }, (_, n): PolicyRule => ({ tool: `t${n}`, decision: 'allow' }))
  await Promise.all(rules.map((one) => openRulesFile(dir).add(one)))
  const { policy } = JSON.parse(readFileSync(join(dir, 'svc.config.json'), 'utf8'))
  assert.equal(policy.rules.map(({ tool }: PolicyRule) => tool).sort(), rules.map(({ tool }) => tool).sort())
})

/** A runtime of a folder whose runs call a program, or write, once each turn. */
async function asking(userDir: string, entries: AuditEntry[] = []) {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'svc-always-')))
  mkdirSync(join(workspace, 'src'))
  let n = 0
  const scripted = scriptedProvider('scripted', ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'Done.'
      : { toolCalls: [{ tool: 'write_file', args: { path: `src/${n++}.txt`, content: 'x' } }] },
  )
  const provider = definePlugin('scripted', ({ providers }) => providers.add('scripted', scripted))()
  const runtime = await createRuntime(
    { model: 'scripted/scripted', components: { memory: false, reflect: false } },
    {
      workspace,
      plugins: [provider],
      env: {},
      rulesFile: openRulesFile(userDir),
      audit: (entry) => entries.push(entry),
    },
  )
  return { runtime, workspace }
}

const always: Decision = { decision: 'approve', remember: 'always', scope: 'folder' }

test('always: the rule is written, named, in the audit log before, and in force for later runs of the process', async () => {
  const dir = place()
  const entries: AuditEntry[] = []
  const { runtime, workspace } = await asking(dir, entries)
  const { id } = await runtime.runs.create({ task: 'Write it', approval: 'wait' })
  const { waiting } = await runtime.runs.wait(id)
  const [{ id: approval = '', rulesFile } = {}] = waiting?.approvals ?? []
  assert.is(rulesFile, undefined, 'the log of a run does not name files of a person')
  const asked = await runtime.approvals.get(approval)
  assert.is(asked.rulesFile, join(dir, 'svc.config.json'))
  const answered = await runtime.approvals.resolve(approval, always)
  assert.is(answered.rulesFile, join(dir, 'svc.config.json'))
  const written = { tool: 'write_file', decision: 'allow', paths: [`${workspace}/src/**`] }
  assert.equal(JSON.parse(readFileSync(join(dir, 'svc.config.json'), 'utf8')), { policy: { rules: [written] } })
  assert.is((await runtime.runs.wait(id, 60_000)).status, 'completed')
  const later = await runtime.runs.create({ task: 'Write it again', approval: 'wait' })
  assert.is((await runtime.runs.wait(later.id, 60_000)).status, 'completed')
  assert.ok(existsSync(join(workspace, 'src/1.txt')))
  const { what, details } = entries.find((entry) => entry.what === 'policy.rule_added') ?? {}
  assert.is(what, 'policy.rule_added')
  assert.equal(details, { approval, rule: JSON.stringify(written), file: join(dir, 'svc.config.json') })
  const { policy } = await runtime.describe()
  assert.equal(policy.rules, [{ rule: written, source: join(dir, 'svc.config.json') }])
  await runtime.close()
})

test('a config that cannot be written refuses the answer: the question stays open, and nothing is allowed', async () => {
  const dir = place()
  const { runtime } = await asking(dir)
  const { id } = await runtime.runs.create({ task: 'Write it', approval: 'wait' })
  const { waiting } = await runtime.runs.wait(id)
  const approval = waiting?.approvals?.[0]?.id ?? ''
  // A file stands where the folder would.
  writeFileSync(dir, '')
  const thrown = (await runtime.approvals.resolve(approval, always).catch((error) => error)) as SvcError
  assert.is(thrown.code, 'config_invalid')
  assert.is((await runtime.approvals.get(approval)).status, 'pending')
  await runtime.approvals.resolve(approval, { ...always, remember: 'run' })
  assert.is((await runtime.runs.wait(id, 60_000)).status, 'completed')
  await runtime.close()
})

test('of two answers at once one counts, and the other says that it did not', async () => {
  const { runtime } = await asking(place())
  const { id } = await runtime.runs.create({ task: 'Write it', approval: 'wait' })
  const { waiting } = await runtime.runs.wait(id)
  const approval = waiting?.approvals?.[0]?.id ?? ''
  const answers = await Promise.allSettled([
    runtime.approvals.resolve(approval, { ...always, remember: 'run' }),
    runtime.approvals.resolve(approval, { decision: 'deny' }),
  ])
  assert.equal(answers.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await runtime.runs.wait(id, 60_000)
  await runtime.close()
})

test.run()
