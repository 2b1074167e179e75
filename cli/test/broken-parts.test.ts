/** One part of a config that cannot be used: it is named once, and stops only what needs it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { each, svc } from './fixtures/svc.ts'
import { begin, makeWorld, type Outcome, STACK } from './fixtures/world.ts'

const test = suite('broken parts')

const README = '# Crane\n\nThe crane is green.\n'
const TASK = 'Summarise README.md'
const HOUSE = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'HOUSE_KEY', defaultModel: 'm' }

/** What each kind of broken file says: its name, the cause, the cure. */
const BROKEN: Readonly<Record<string, { content: unknown; says: RegExp }>> = {
  'providers/house.json': {
    content: HOUSE,
    says: /'house' has no key \(.*providers\/house\.json\)\. Fix: export HOUSE_KEY=/,
  },
  'providers/half.json': { content: '{ "type": ', says: /providers\/half\.json.*Fix: correct or remove the file/ },
  'providers/thrower.ts': {
    content: `export default () => { throw new Error('boom in create') }`,
    says: /'thrower' cannot be made: boom in create.*providers\/thrower\.ts/,
  },
  'tools/syntax.ts': { content: 'export default {', says: /tools\/syntax\.ts:\d.*Fix: correct or remove the file/ },
  'tools/thrower.ts': {
    content: `throw new Error('boom on import')`,
    says: /tools\/thrower\.ts:1: failed while loading: boom on import.*Fix: correct or remove the file/,
  },
  'tools/shape.json': {
    content: { nope: 1 },
    says: /tools\/shape\.json: \/nope is not.*Fix: correct or remove the file/,
  },
  'agents/hot.md': {
    content: '---\ntemperature: hot\n---\nBe good.\n',
    says: /agents\/hot\.md: \/temperature must be number.*Fix: correct or remove the file/,
  },
  'plugins/late.ts': {
    content: `throw new Error('plugin boom')`,
    says: /plugins\/late\.ts:1: failed while loading: plugin boom.*Fix: correct or remove the file/,
  },
}

const FILES = Object.fromEntries(Object.entries(BROKEN).map(([name, { content }]) => [name, content]))

test('commands that need no broken part go on, and each part is one warning with its file and cure', async () => {
  const here = makeWorld({ 'README.md': README }, FILES)
  const orders = [
    ['runs', 'list'],
    ['plugins'],
    ['models'],
    ['tools'],
    ['agents', 'list'],
    ['config', 'show'],
    ['run', '--provider', 'offline', TASK],
    ['plan', '--provider', 'offline', TASK],
  ]
  const outcomes = await each(here, orders)
  for (const [index, outcome] of outcomes.entries()) {
    const name = orders[index]?.join(' ')
    assert.is(outcome.code, 0, `${name}: ${outcome.err}`)
    assert.not.match(outcome.err, STACK)
    for (const [file, { says }] of Object.entries(BROKEN)) {
      // `config show` makes no provider.
      if (name === 'config show' && /house|thrower\.ts/.test(file) && file.startsWith('providers')) continue
      assert.match(outcome.err, says, name)
      assert.is(outcome.err.split(file).length, 2, `${name} names ${file} once: ${outcome.err}`)
    }
  }
  assert.match(outcomes[6]?.out ?? '', /The crane is green/)
  assert.match(outcomes[2]?.out ?? '', /^ +house\/\(not usable\) .*house\.json$/m)
})

test('a command that needs the part fails with the documented code and the same cause', async () => {
  const here = makeWorld({ 'README.md': README }, FILES)
  const [nobody, house, half, code, agent] = await each(here, [
    ['run', TASK],
    ['run', '--provider', 'house', TASK],
    ['run', '--model', 'half/m', TASK],
    ['run', '--model', 'thrower/m', TASK],
    ['run', '--provider', 'offline', '--agent', 'hot', TASK],
  ])
  const failed = (outcome: Outcome, exit: number, says: RegExp): void => {
    assert.is(outcome.code, exit, outcome.err)
    const [line = ''] = outcome.err.trimEnd().split('\n').slice(-1)
    assert.match(line, says)
    assert.is(outcome.out, '')
  }
  failed(nobody, 3, /'house' has no key.*\. Fix: export HOUSE_KEY.*\[no_provider\]/)
  failed(house, 3, /'house' has no key.*\. Fix: export HOUSE_KEY.*\[no_provider\]/)
  failed(half, 3, /providers\/half\.json.*\[config_invalid\]/)
  failed(code, 3, /boom in create.*\[config_invalid\]/)
  failed(agent, 1, /hot.*agents\/hot\.md.*must be number.*\[agent_not_found\]/)
})

test('a broken file gives its name to nothing looser: neither to a tool of svc nor to a vendor', async () => {
  const here = makeWorld(
    { 'README.md': README },
    { 'tools/read_file.json': '{ "description": ', 'providers/openai.json': '{ "type": "openai", ' },
  )
  const [tools, run, other] = await each(
    here,
    ['tools --json', ['run', TASK], ['run', '--provider', 'offline', '--json', TASK]],
    { OPENAI_API_KEY: 'k' },
  )
  const ids = (JSON.parse(tools.out) as { id: string }[]).map(({ id }) => id)
  assert.ok(ids.includes('list_files') && !ids.includes('read_file'), ids.join())
  assert.is(run.code, 3, run.err)
  assert.match(run.err, /providers\/openai\.json.*\[config_invalid\]/)
  assert.is(other.code === 0 || other.code === 6, true, other.err)
})

test('a plugin that a config names, a config with a bad field and an explicit config stay fatal', async () => {
  const guarded = makeWorld({}, { 'svc.config.json': { plugins: ['./guard.ts'] }, 'guard.ts': `throw new Error('x')` })
  const field = makeWorld({}, { 'svc.config.json': { tokenBudgt: 1 } })
  const named = makeWorld({ 'other.json': '{' })
  const slot = makeWorld({}, { 'svc.config.json': { components: { inspect: './gone.ts' } } })
  for (const [world, args, code] of [
    [guarded, ['runs', 'list'], 'plugin_load_failed'],
    [guarded, ['run', '--provider', 'offline', TASK], 'plugin_load_failed'],
    [slot, ['plugins'], 'plugin_load_failed'],
    [field, ['runs', 'list'], 'config_invalid'],
    [named, ['plugins', '--config', 'other.json'], 'config_invalid'],
  ] as const) {
    const outcome = await svc(world, args)
    assert.is(outcome.code, 3, outcome.err)
    assert.match(outcome.err, new RegExp(`\\[${code}\\]`))
  }
})

test('svc doctor names each part with its own cause and cure, and never blames the data folder for it', async () => {
  const here = makeWorld({ 'README.md': README }, FILES)
  const dir = join(here.home, 'data')
  mkdirSync(dir)
  // A database is there, so that doctor opens it.
  const seeded = await svc(here, ['run', '--provider', 'offline', TASK], { env: { SVC_DATA_DIR: dir } })
  assert.is(seeded.code, 0, seeded.err)
  const [asked, other] = await each(here, ['doctor --json', 'doctor --json --provider offline'], {
    SVC_DATA_DIR: dir,
  })
  const checks = JSON.parse(asked.out) as { name: string; result: string; message: string; fix?: string }[]
  assert.is(checks.find(({ name }) => name === 'data folder')?.result, 'ok')
  for (const [file] of Object.entries(BROKEN)) {
    const about = checks.filter(
      ({ name, result, message }) => name !== 'model' && result !== 'ok' && message.includes(file),
    )
    assert.is(about.length, 1, `${file}: ${JSON.stringify(checks, undefined, 1)}`)
    assert.ok((about[0]?.fix ?? '') !== '', `${file} has a cure`)
    assert.is(about[0]?.result, 'warn')
  }
  const model = checks.find(({ name }) => name === 'model')
  assert.is(model?.result, 'fail')
  assert.match(`${model?.message} ${model?.fix}`, /'house' has no key.*export HOUSE_KEY/)
  assert.is(asked.code, 1)
  assert.is(other.code, 0, other.out)
})

test('svc serve starts, lists the parts in its health, and refuses only what needs them', async () => {
  const here = makeWorld({ 'README.md': README }, FILES)
  const running = begin(here, 'serve --port 0 -q')
  const [, url = ''] = await running.says(/svc: listening on (http:[^;]+);/)
  const health = (await (await fetch(`${url}/health`)).json()) as { warnings: { message: string }[] }
  for (const { says } of Object.values(BROKEN))
    assert.is(health.warnings.filter(({ message }) => says.test(message)).length, 1, `${says}`)
  const ask = (body: object): Promise<Response> =>
    fetch(`${url}/v1/runs?wait=60000`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ task: TASK, ...body }),
    })
  const refused = await ask({})
  assert.is(refused.status, 500)
  assert.match(((await refused.json()) as { detail: string }).detail, /'house' has no key/)
  const tool = await ask({ model: 'offline/extractive', tools: { allow: ['syntax'] } })
  assert.is(tool.status, 400)
  assert.match(
    ((await tool.json()) as { detail: string }).detail,
    /"syntax", which cannot be used: .*tools\/syntax\.ts/,
  )
  const done = await ask({ model: 'offline/extractive' })
  assert.is(done.status, 201)
  running.child.kill('SIGTERM')
  assert.is((await running.outcome).code, 143)
  assert.is((await running.outcome).err.split('providers/house.json').length, 2, 'said once')
})

test('a package that a trusted part imports and nobody installed is named, with the command that installs it', async () => {
  const pad = `import pad from 'left-pad-not-there'\nexport default { run: () => pad('x') }\n`
  const here = makeWorld({ 'package.json': { name: 'house' }, '.svc/tools/padder.ts': pad })
  const [, list, doctor] = await each(here, ['trust', 'tools', 'doctor'])
  assert.match(
    list.err,
    /tools\/padder\.ts: Cannot find module 'left-pad-not-there'\. Fix: npm install left-pad-not-there \[config_invalid\]/,
  )
  assert.match(doctor.out, /Cannot find module 'left-pad-not-there'\. Fix: npm install left-pad-not-there/)
  for (const text of [list.err, doctor.out]) assert.not.match(text ?? '', 'package.json: was not seen')
})

test('an agent that may use a broken tool is refused with the cause, before a model is called', async () => {
  const here = makeWorld(
    { 'README.md': README },
    {
      'tools/bad_ts.ts': 'export default {',
      'agents/reader.md': '---\ntools: [bad_ts, read_file]\n---\nRead.\n',
      'agents/other.md': '---\ntools: [read_file]\n---\nRead.\n',
    },
  )
  const run = ['run', '--provider', 'offline']
  const [named, other, all] = await each(here, [
    [...run, '--agent', 'reader', TASK],
    [...run, '--agent', 'other', TASK],
    [...run, '--json', 'Use bad_ts'],
  ])
  assert.is(named.code, 2, named.err)
  assert.match(
    named.err.trimEnd().split('\n').at(-1) ?? '',
    /agent "reader", whose tool "bad_ts" cannot be used: .*bad_ts\.ts:1:\d+: .*\[validation_failed\]/,
  )
  assert.is(named.out, '')
  assert.not.match(other.err, /validation_failed/)
  assert.match(other.err, /step-1 .*: done/)
  const { warnings } = JSON.parse(all.out) as { warnings: { message: string }[] }
  assert.ok(warnings.some(({ message }) => /bad_ts\.ts:1:\d+: /.test(message)))
})

test('a command says each cause once: where it is the result not beside it, and not as a warning and an error', async () => {
  const here = makeWorld({ 'README.md': README }, FILES)
  const typo = { description: 'x', parameters: {}, risk: 'read', command: ['ls'], comand: [] }
  const mistyped = makeWorld({}, { 'tools/mistyped.json': typo })
  const [validate, run] = await each(here, ['config validate', ['run', TASK]])
  const [wrong] = await each(mistyped, ['tools'])
  assert.is(validate.code, 3)
  assert.is(validate.err, '')
  assert.is(validate.out.split('providers/half.json').length, 2, validate.out)
  assert.is(run.code, 3)
  assert.is(run.err.split("'house' has no key").length, 2, run.err)
  assert.match(wrong.err, /did you mean "command"\? Fix: /)
})

test.run()
