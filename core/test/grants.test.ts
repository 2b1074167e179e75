/** A yes for more than one call: what it offers, what it covers, how long it holds, and what it never passes. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Approval,
  createMemoryStore,
  type Decision,
  definePlugin,
  type ExecutionResult,
  type GrantScope,
  type Plugin,
  type PolicyRule,
  type RuntimeSettings,
  type SvcError,
  type Tool,
  type Touched,
} from '../src/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { exported, signed } from './fixtures/run-files.ts'
import { codeOf, ended, expire, model, start, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('grants')
const ws = '/srv/space'

type Call = { tool: string; args: Touched & { asks?: string; n?: number } }
const edit = (...paths: string[]): Call => ({ tool: 'edit', args: { paths } })
const program = (...command: string[]): Call => ({ tool: 'program', args: { command } })

/** Tools that touch what their arguments say, and note when they run. */
function touching(ran: unknown[]): Tool[] {
  const make = (id: string, risk: Tool['risk'], more: Partial<Tool> = {}): Tool =>
    tool(id, async (args) => void ran.push(args), {
      risk,
      touches: async (args) => args as Touched,
      alwaysAsks: async (args) => (args as Call['args']).asks,
      ...more,
    })
  const { touches: _, ...silent } = make('silent', 'write')
  const untrusted = tool('web', async () => 'words', { untrusted: true })
  return [make('edit', 'write'), make('program', 'execute'), make('send', 'network'), silent, untrusted]
}

interface World {
  calls: readonly Call[]
  settings?: Partial<RuntimeSettings>
  plugins?: Plugin[]
  run?: object
  answer?: (asked: Approval, index: number) => Decision | undefined
}

/** Makes calls one after the other. @returns what was asked, and what each came to */
async function running({ calls, settings, plugins = [], run = {}, answer = () => ({ decision: 'deny' }) }: World) {
  const ran: unknown[] = []
  const asked: Approval[] = []
  const codes: string[] = []
  const act = tiny({
    execute: async (context) => {
      for (const [index, call] of calls.entries()) {
        const { error } = await context.tool({ key: `k${index}`, callId: `c${index}`, agentId: 'agent-1', ...call })
        codes.push(error?.code ?? 'ok')
      }
      return execution('done')
    },
  })
  const runtime = await start([toolbox(...touching(ran)), ...plugins, act, model()], { workspace: ws, ...settings })
  runtime.onEvent(({ type, data }) => {
    if (type !== 'approval.requested') return
    asked.push(data)
    const decision = answer(data, asked.length - 1)
    if (decision !== undefined) runtime.approvals.resolve(data.id, decision).catch(() => {})
  })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait', ...run })
  await ended(runtime, id)
  await runtime.close()
  return { asked, codes, ran }
}

/** The first question is answered with yes and a scope, all others with no. */
const first =
  (scope: GrantScope, remember: Decision['remember'] = 'run') =>
  (_: Approval, index: number): Decision =>
    index === 0 ? { decision: 'approve', remember, scope } : { decision: 'deny' }

const offersOf = async (world: World): Promise<[GrantScope, PolicyRule][]> => {
  const { asked } = await running(world)
  return (asked.at(-1)?.offers ?? []).map(({ scope, rule }) => [scope, rule])
}
const scopesOf = async (world: World): Promise<GrantScope[]> => (await offersOf(world)).map(([scope]) => scope)

test('a yes for a folder, for commands that begin alike, and for a tool covers what its rule says, for this run', async () => {
  const files = await running({
    calls: [edit('src/a.ts'), edit('src/b.ts'), edit('src/deep/c.ts'), edit('docs/a.md'), edit('src/d.ts', 'e.ts')],
    answer: first('folder'),
  })
  assert.equal(files.codes, ['ok', 'ok', 'ok', 'approval_denied', 'approval_denied'])
  const programs = await running({
    calls: [program('npm', 'test'), program('npm', 'test', '--', 'a'), program('npm', 'run', 'x'), program('npm')],
    answer: first('prefix'),
  })
  assert.equal(programs.codes, ['ok', 'ok', 'approval_denied', 'approval_denied'])
  const all = await running({ calls: [edit('src/a.ts'), edit('docs/a.md'), program('ls')], answer: first('tool') })
  assert.equal(all.codes, ['ok', 'ok', 'approval_denied'])
})

test('offers name the rule that they mean: absolute folders, first words of commands, hosts', async () => {
  const allow = { decision: 'allow' }
  assert.equal(await offersOf({ calls: [edit('src/a.ts', 'src/b.ts')] }), [
    ['folder', { ...allow, tool: 'edit', paths: [`${ws}/src/**`] }],
    ['tool', { ...allow, tool: 'edit' }],
  ])
  assert.equal((await offersOf({ calls: [edit('a.ts')] }))[0]?.[1].paths, [`${ws}/**`])
  assert.equal(await offersOf({ calls: [program('git', 'commit', '-m', 'x')] }), [
    ['prefix', { ...allow, tool: 'program', command: ['git', 'commit'] }],
  ])
  assert.equal(await offersOf({ calls: [{ tool: 'send', args: { hosts: ['https://api.example/x'] } }] }), [
    ['tool', { ...allow, tool: 'send', hosts: ['api.example'] }],
  ])
  assert.equal(await scopesOf({ calls: [{ tool: 'silent', args: {} }] }), ['tool'])
})

test('no prefix is offered for shells, interpreters, what starts a program, scripts, and words that are no plain names', async () => {
  const commands = [
    ['bash', '-c', 'ls'],
    ['sh', 'x'],
    ['node', '-e', '1'],
    ['node', 'test'],
    ['python3.11', 'x'],
    ['PYTHON.exe', 'x'],
    ['env', 'ls'],
    ['sudo', 'ls'],
    ['xargs', 'rm'],
    ['find', 'src', '-exec', 'rm', '{}', ';'],
    ['npx', 'thing'],
    ['npm', 'exec', 'thing'],
    ['npm', 'run'],
    ['uv', 'run', 'python'],
    ['uv', 'tool', 'run', 'thing'],
    ['docker-compose', 'run', 'web', 'sh'],
    ['corepack', 'npm', 'exec', 'thing'],
    ['mvn', 'exec:exec', '-Dexec.executable=rm'],
    ['npm', 'run-script', 'thing'],
    ['npm', 'pkg', 'set', 'scripts.test=rm'],
    ['git', 'hook', 'run', 'pre-commit'],
    ['bun', 'thing.ts'],
    ['timeout', '5', 'npm', 'test'],
    ['nice', 'npm', 'test'],
    ['tmux', 'new-session', 'rm'],
    ['xvfb-run', 'npm', 'test'],
    ['setarch', 'x86_64', 'rm'],
    ['wsl', 'rm'],
    ['go', 'run', 'main.go'],
    ['git'],
    ['git', '-c', 'core.pager=sh', 'log'],
    ['git', 'config', 'core.pager', 'sh'],
    ['git', 'submodule', 'foreach', 'rm'],
    ['npm', '--prefix', '/', 'test'],
    ['npm', 'test; rm -rf /'],
    ['npm', 'test\nrm'],
    ['npm test', 'x'],
    ['npm', '"test"'],
    ['npm', '\u{202e}tset'],
    ['./run.sh', 'x'],
    ['/usr/bin/npm', 'test'],
    ['rm', 'a'],
    ['wrapper', 'bash'],
    [''],
    [],
  ]
  for (const command of commands) assert.equal(await scopesOf({ calls: [program(...command)] }), [], command.join(' '))
  const script: Call = { tool: 'program', args: { command: 'npm test' } }
  assert.equal(await scopesOf({ calls: [script] }), [])
})

test('no folder is offered above the workspace, beside it, at the root of the system, or for a name that is a pattern', async () => {
  for (const path of ['../x/a', '..', '/etc/passwd', 'src/../../a', '*/a', 'a*/b', '~/../x', '~/x'])
    assert.not((await scopesOf({ calls: [edit(path)] })).includes('folder'), path)
  assert.not((await scopesOf({ calls: [edit('a')], settings: { workspace: '/' } })).includes('folder'))
  // A link and what it leads to, which are both asked about.
  const both = [`${ws}/link/**`, `${ws}/src/**`]
  assert.equal((await offersOf({ calls: [edit('link/a', 'src/a')] }))[0]?.[1].paths, both)
})

const askAll = { tool: '*', decision: 'ask' } as const
const asking = definePlugin('asking', ({ hooks }) => {
  hooks.toolRequest.tap('asking', () => ({ decision: 'ask' }))
})

test('nothing is offered where something asks that no rule of the config lifts', async () => {
  const [call] = [edit('src/a')]
  const always: Call = { tool: 'edit', args: { paths: ['src/a'], asks: 'it is special' } }
  assert.equal(await scopesOf({ calls: [always] }), [])
  assert.equal(await scopesOf({ calls: [call], settings: { managed: { policy: { rules: [askAll] } } } }), [])
  assert.equal(await scopesOf({ calls: [call], settings: { config: { policy: { rules: [askAll] } } } }), [])
  const folder = { source: 'here', policy: { rules: [askAll] } } as never
  assert.equal(await scopesOf({ calls: [call], settings: { tightening: folder } }), [])
  assert.equal(await scopesOf({ calls: [call], plugins: [asking()] }), [])
  const tainted = [{ tool: 'web', args: {} }, program('npm', 'test')]
  assert.equal(await scopesOf({ calls: tainted }), [])
})

test('a yes for the run does not pass what always asks, what taint asks, and what is denied', async () => {
  const always: Call = { tool: 'edit', args: { paths: ['src/b'], asks: 'it is special' } }
  const special = await running({ calls: [edit('src/a'), always], answer: first('folder') })
  assert.equal(special.codes, ['ok', 'approval_denied'])
  const taint = await running({
    calls: [program('npm', 'test'), { tool: 'web', args: {} }, program('npm', 'test', 'x')],
    answer: first('prefix'),
  })
  assert.equal(taint.codes, ['ok', 'ok', 'approval_denied'])
  const rules: PolicyRule[] = [{ tool: 'edit', decision: 'deny', paths: ['src/closed/**'] }]
  const denied = await running({
    calls: [edit('src/a'), edit('src/closed/b')],
    settings: { config: { policy: { rules } } },
    answer: first('folder'),
  })
  assert.equal(denied.codes, ['ok', 'policy_denied'])
})

/** A run that waits at its first call. */
async function waiting(call: Call, settings: Partial<RuntimeSettings> = {}) {
  const act = tiny({
    execute: async (run) => {
      const { error } = await run.tool({ key: 'k', callId: 'c', agentId: 'agent-1', ...call })
      return execution(error?.code ?? 'ok')
    },
  })
  const runtime = await start([toolbox(...touching([])), act, model()], { workspace: ws, ...settings })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  const { waiting: open } = await runtime.runs.wait(id)
  const approval = open?.approvals?.[0]?.id ?? ''
  return {
    runtime,
    id,
    approval,
    resolve: (decision: object) => runtime.approvals.resolve(approval, decision as Decision),
  }
}

test('what an answer may not give is refused with the field and what is offered, and the question stays open', async () => {
  const { runtime, approval, resolve } = await waiting(program('npm', 'test'))
  const refusals: [object, string, RegExp][] = [
    [{ decision: 'approve', remember: 'run', scope: 'folder' }, '/scope', /offers for remember run: call, prefix/],
    [{ decision: 'approve', remember: 'run', scope: 'all' }, '/scope', /./],
    [{ decision: 'approve', remember: 'always', scope: 'prefix' }, '/remember', /Use once or run/],
    [{ decision: 'approve', remember: 'always' }, '/remember', /Use once or run/],
    [{ decision: 'approve', scope: 'prefix' }, '/scope', /set remember to run/],
    [{ decision: 'deny', remember: 'run', scope: 'prefix' }, '/scope', /not with deny/],
    [{ decision: 'deny', remember: 'always' }, '/remember', /not with deny/],
    [{ decision: 'edit', args: {}, remember: 'run', scope: 'tool' }, '/scope', /not with edit/],
  ]
  for (const [decision, path, message] of refusals) {
    const thrown = (await resolve(decision).catch((error) => error)) as SvcError
    assert.is(thrown.code, 'validation_failed', JSON.stringify(decision))
    assert.is(thrown.errors?.[0]?.path, path)
    assert.match(thrown.message, message)
  }
  assert.is((await runtime.approvals.get(approval)).status, 'pending')
  await resolve({ decision: 'approve', remember: 'run', scope: 'prefix' })
  assert.is(await codeOf(resolve({ decision: 'deny' })), 'approval_closed')
  await runtime.close()
})

/** Calls that are made in one life of a run after the other; a life that is over before its last call hangs there. */
function lives(ran: unknown[], calls: Call[], hangsAt: () => number): Plugin[] {
  const act = tiny({
    execute: async (run) => {
      for (const [index, call] of calls.entries()) {
        if (index === hangsAt()) return new Promise(() => {})
        await run.tool({ key: `k${index}`, callId: `c${index}`, agentId: 'agent-1', ...call })
      }
      return execution('done')
    },
  })
  return [toolbox(...touching(ran)), act, model()]
}

test('a yes for the run holds after a crash', async () => {
  const store = createMemoryStore()
  const ran: unknown[] = []
  let hangsAt = 1
  const plugins = lives(ran, [edit('src/a'), edit('src/b'), edit('docs/c')], () => hangsAt)
  const mortal = faultyStore(store)
  const one = await start(plugins, { store: mortal.store, workspace: ws, drainMs: 1 })
  const { id } = await one.runs.create({ task: 'x', approval: 'wait' })
  const { waiting: open } = await one.runs.wait(id)
  const answer: Decision = { decision: 'approve', remember: 'run', scope: 'folder' }
  await one.approvals.resolve(open?.approvals?.[0]?.id ?? '', answer)
  await until(async () => (await store.steps(id)).some(({ key, state }) => key === 'k0' && state === 'done'))
  mortal.faults.die()
  await expire(store, id)
  hangsAt = -1
  const two = await start(plugins, { store, workspace: ws })
  const { waiting: next } = await two.runs.wait(id)
  assert.equal(ran, [{ paths: ['src/a'] }, { paths: ['src/b'] }])
  assert.equal(
    next?.approvals?.map(({ args }) => args),
    [{ paths: ['docs/c'] }],
  )
  await two.runs.cancel(id)
  await ended(two, id)
  await two.close()
})

/** A run whose first call was allowed for its folder, and that failed then. */
async function failedAfterGrant(settings: Partial<RuntimeSettings> = {}) {
  const ran: unknown[] = []
  let fails = true
  const act = tiny({
    execute: async (run) => {
      await run.tool({ key: 'k0', callId: 'c0', agentId: 'agent-1', ...edit('src/a') })
      if (fails) throw new Error('it broke')
      await run.tool({ key: 'k1', callId: 'c1', agentId: 'agent-1', ...edit('src/b') })
      return execution('done')
    },
  })
  const runtime = await start([toolbox(...touching(ran)), act, model()], { workspace: ws, ...settings })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  const { waiting: open } = await runtime.runs.wait(id)
  await runtime.approvals.resolve(open?.approvals?.[0]?.id ?? '', {
    decision: 'approve',
    remember: 'run',
    scope: 'folder',
  })
  await ended(runtime, id)
  fails = false
  return { runtime, id, ran }
}

test('a yes for the run goes along when the run is resumed, and neither into a fork nor with a file', async () => {
  const { runtime, id, ran } = await failedAfterGrant({ space: '/home/me' })
  const { lastSeq } = await runtime.runs.get(id)
  const fork = await runtime.runs.fork(id, { atSeq: lastSeq - 3 })
  const { waiting: asks } = await runtime.runs.wait(fork.id)
  assert.is(asks?.approvals?.length, 1)
  assert.equal(ran, [{ paths: ['src/a'] }])
  await runtime.runs.cancel(fork.id)
  const again = await runtime.runs.resume(id)
  await ended(runtime, again.id)
  assert.equal(ran, [{ paths: ['src/a'] }, { paths: ['src/b'] }])
  assert.is(((await runtime.runs.result(again.id)) as ExecutionResult).status, 'completed')

  const lines = await exported(runtime, id)
  await runtime.close()
  const other = await failedAfterGrant({ space: '/home/other', store: createMemoryStore() })
  await other.runtime.runs.delete(other.id)
  const taken = await other.runtime.runs.import(signed(lines))
  other.ran.length = 0
  const theirs = await other.runtime.runs.resume(taken.id)
  await until(async () => ['waiting', 'failed'].includes((await other.runtime.runs.get(theirs.id)).status))
  assert.equal(other.ran, [], 'a stranger allows nothing here')
  await other.runtime.close()
})

const paths = fc.constantFrom('src/a', 'src/b', 'src/deep/c', 'docs/d', 'e', '../f', '.git/g', '*')
const words = fc.constantFrom('npm', 'git', 'test', 'run', 'commit', '-x', 'bash', 'ls', 'a b')
const anyCall: fc.Arbitrary<Call> = fc.oneof(
  fc.array(paths, { minLength: 1, maxLength: 2 }).map((named) => edit(...named)),
  fc.array(words, { minLength: 1, maxLength: 3 }).map((named) => program(...named)),
  fc.constantFrom<Call>(
    { tool: 'web', args: {} },
    { tool: 'silent', args: {} },
    { tool: 'send', args: { hosts: ['a.example'] } },
    { tool: 'edit', args: { paths: ['src/a'], asks: 'special' } },
  ),
)
const anyRule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    tool: fc.constantFrom('*', 'edit', 'program', 'send'),
    decision: fc.constantFrom('ask', 'deny', 'allow'),
    paths: fc.constantFrom(['src/deep/**'], ['docs/**'], ['**/b']),
  },
  { requiredKeys: ['tool', 'decision'] },
)

test('a yes for the run never allows what the same rule in the config would not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCall, { minLength: 2, maxLength: 5 }),
      fc.array(anyRule, { maxLength: 2 }),
      fc.nat(2),
      async (drawn, rules, pick) => {
        // A number makes each call another one.
        const calls = drawn.map((call, n) => ({ ...call, args: { ...call.args, n } }))
        let given: { rule: PolicyRule; n: unknown } | undefined
        const granted = await running({
          calls,
          settings: { config: { policy: { rules } } },
          answer: ({ offers = [], args }) => {
            const offer = offers[pick % Math.max(1, offers.length)]
            if (given !== undefined || offer === undefined) return { decision: 'deny' }
            given = { rule: offer.rule, n: (args as Call['args']).n }
            return { decision: 'approve', remember: 'run', scope: offer.scope }
          },
        })
        if (given === undefined) return
        const config = { policy: { rules: [...rules, given.rule] } }
        const same = await running({ calls, settings: { config }, run: { approval: 'deny' } })
        for (const [index, code] of granted.codes.entries())
          if (code === 'ok') assert.is(same.codes[index], 'ok', JSON.stringify([calls[index], given.rule, rules]))
        assert.is(same.codes[Number(given.n)], 'ok', 'the call that was asked about is one of those')
      },
    ),
    { numRuns: 60 },
  )
})

test.run()
