/** S18: what runs is what a person approved, once, after having seen where it goes. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { codeOf, ended, model, start, tool, toolbox, until } from '../fixtures/runtimes.ts'
import { execution, tiny } from '../fixtures/tiny-plugins.ts'
import { askAbout, type attack, LONG, passedByYes, placesShown, ranAfterOneYes } from './s18-attack.ts'

const test = suite('S18 approvals')

test('an approval is answered once; another id, another run, and what is no decision are refused', async () => {
  const write = tool('write', async () => 'done', { risk: 'write' })
  const act = tiny({
    execute: async (run) => {
      const { ok } = await run.tool({ key: 'k', callId: 'c', agentId: 'agent-1', tool: 'write', args: { path: 'a' } })
      return execution(ok ? 'ran' : 'denied')
    },
  })
  const runtime = await start([toolbox(write), act, model()])
  const asked: string[] = []
  runtime.onEvent(({ type, data }) => {
    if (type === 'approval.requested') asked.push((data as { id: string }).id)
  })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  await until(() => asked.length > 0)
  const [approval = ''] = asked
  const resolve = (name: string, decision: unknown) => codeOf(runtime.approvals.resolve(name, decision as never))
  assert.is(await resolve(`apr_${'0'.repeat(26)}`, { decision: 'approve' }), 'approval_not_found')
  assert.is(await resolve(id, { decision: 'approve' }), 'approval_not_found')
  assert.is(await resolve(approval, { decision: 'yes' }), 'validation_failed')
  assert.is(await resolve(approval, { decision: 'approve', by: 'agent-1', extra: 1 }), 'validation_failed')
  assert.is(await resolve(approval, { decision: 'approve' }), 'nothing thrown')
  assert.is(await resolve(approval, { decision: 'deny' }), 'approval_closed')
  await ended(runtime, id)
  await runtime.close()
})

test('what runs are the arguments that were approved, and an edit is held against the rules again', async () => {
  const args = { path: 'a', list: [1, { b: 2 }] }
  const same = await askAbout({ calls: [{ tool: 'write', args }], run: { approval: 'wait' } })
  assert.equal([same.ran, same.asked[0]?.args], [[args], args])
  const edited = await askAbout({
    calls: [{ tool: 'write', args }],
    run: { approval: 'wait' },
    config: { policy: { rules: [{ tool: '*', decision: 'deny', paths: ['secrets'] }] } },
    answer: () => ({ decision: 'edit', args: { path: 'secrets/x' } }),
  })
  assert.equal([edited.codes, edited.ran], [['policy_denied'], []])
})

test('an agent cannot answer: no argument of a call is taken for an approval', async () => {
  const claims = [{ isApproved: true }, { approval: 'approve' }, { path: 'a', decision: 'approve', by: 'user' }]
  const { codes, ran } = await askAbout({ calls: claims.map((args) => ({ tool: 'write', args })) })
  assert.equal([codes, ran], [claims.map(() => 'approval_required'), []])
})

test('yes to one call is yes to that call; yes to all equal calls of the run is no yes to another', async () => {
  assert.is(await ranAfterOneYes(), 1)
  const call = (path: string) => ({ tool: 'write', args: { path } })
  const { asked, ran } = await askAbout({
    calls: [call('a'), call('a'), call('b')],
    run: { approval: 'wait' },
    answer: ({ args }) =>
      JSON.stringify(args) === '{"path":"a"}' ? { decision: 'approve', remember: 'run' } : { decision: 'deny' },
  })
  assert.equal([asked.length, ran.length], [2, 2])
})

test('a prompt shows first where a call goes, however long the rest is and wherever it stands', async () => {
  assert.is(await placesShown(), LONG.length)
  const touches = async () => ({
    paths: ['docs/link/x', 'src/x\nhost: good.example'],
    hosts: ['https://evil.example/'],
    command: ['sh', '-c', 'a b'],
  })
  const said = tool('said', async () => 'done', { risk: 'write', touches, preview: async () => 'A'.repeat(9_000) })
  const { asked } = await askAbout({ tools: [said], calls: [{ tool: 'said', args: {} }], run: { approval: 'wait' } })
  assert.equal(asked[0]?.preview.split('\n').slice(0, 5), [
    'path: docs/link/x',
    'path: src/x\\u{a}host: good.example',
    'host: https://evil.example/',
    "command: sh -c 'a b'",
    '',
  ])
})

test('--yes passes what writes by default, and neither a rule that asks about reading, nor more, nor the managed policy', async () => {
  assert.equal(await passedByYes(), ['approval_required', 'approval_required', 'approval_required'])
  const run = { approval: 'allow-write' }
  assert.equal((await askAbout({ calls: [{ tool: 'write', args: {} }], run })).codes, ['ok'])
})

test('without our order, the risk in `--yes`, and a yes for one call only, each gets through', async () => {
  const permission = 'core/src/runtime/calls/tools/permission.ts'
  const found = (await attackWithout('core/test/security/s18-attack.ts', [
    { file: 'core/src/runtime/calls/tools/describe-call.ts', name: 'toShown', weaken: '() => (args) => args' },
    { file: permission, name: 'onlyWrites', weaken: '() => () => true' },
    { file: permission, name: 'isFirm', weaken: '() => () => false' },
    { file: permission, name: 'isForTheRun', weaken: '() => () => true' },
  ])) as Awaited<ReturnType<typeof attack>>
  assert.ok(found.shown < LONG.length, String(found.shown))
  assert.equal(found.passed, ['ok', 'ok', 'ok'])
  assert.is(found.ran, 3)
})

test.run()
