/** Configs that are wrong, folders that nobody trusted, drop-ins, and the commands that show them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { each } from './fixtures/svc.ts'
import { addFiles, makeWorld, STACK } from './fixtures/world.ts'

const test = suite('config and trust')

const README = '# Demo\n\nIt has 42 widgets.\n'
const TASK = 'Summarise README.md'
const quick = (...words: string[]): string[] => ['run', '-q', ...words, TASK]

test('a config that is wrong is refused with file, pointer and what would be right', async () => {
  const cases = [
    [{ 'svc.config.json': { tokenBugdet: 5 } }, /svc\.config\.json: \/tokenBugdet .*did you mean "?tokenBudget"?\?/],
    [{ 'svc.config.json': { budget: { maxTokens: -1 } } }, /svc\.config\.json: \/budget\/maxTokens /],
    [{ 'svc.config.json': '{ "model": ' }, /svc\.config\.json/],
    [{ 'svc.config.ts': 'export default { model: ' }, /svc\.config\.ts:\d+:\d+: /],
    [{ 'svc.config.ts': 'export default nothing' }, /svc\.config\.ts:1: .*nothing is not defined/],
    [{ 'svc.config.mjs': 'throw new Error("on purpose")' }, /svc\.config\.mjs:1: .*on purpose/],
    [{ 'svc.config.json': { plugins: ['./missing.mjs'] } }, /missing\.mjs: there is no such module/],
    [{ 'p.mjs': 'export default 5', 'svc.config.json': { plugins: ['./p.mjs'] } }, /p\.mjs: must export a plugin/],
  ] as const
  const outcomes = await each(
    makeWorld(),
    cases.map(([files]) => quick('--trust', '--cwd', makeWorld({ 'README.md': README, ...files }).work)),
  )
  for (const [index, [, message]] of cases.entries()) {
    const { code, out, err } = outcomes[index] ?? { code: -1, out: '', err: '' }
    assert.is(code, 3, err)
    assert.is(out, '')
    assert.match(err, message)
    assert.match(err, /\[(config_invalid|plugin_load_failed)\]/)
    assert.not.match(err, STACK)
  }
})

test('a config that is not read is named, with the reason', async () => {
  const ours = 'export default { tokenBudget: 5000 }\n'
  const world = makeWorld({
    'svc.config.ts': ours,
    'svc.config.json': { tokenBudget: 6000 },
    'svc.config.base.json': {},
  })
  const [, second] = await each(world, ['trust', 'config show'])
  assert.match(second.err, /svc\.config\.json is not read: svc\.config\.ts comes before it; keep one of them/)
  assert.not.match(second.err, /base/)
  const others = makeWorld({ 'svc.config.toml': 'tokenBudget = 5000', 'svc.config.cts': ours }, { '.svcrc.toml': '' })
  const [none] = await each(others, ['config show'])
  for (const name of ['svc.config.toml', 'svc.config.cts', '.svcrc.toml'])
    assert.match(none.err, `${name} is not read: a config is called svc.config.ts, `)
  const extended = makeWorld({
    'svc.config.ts': "export default { extends: ['./svc.config.json'] }",
    'svc.config.json': {},
  })
  const [both] = await each(extended, ['config show --trust'])
  assert.is(both.err, '')
})

test('messages name what would be right, and count as people do', async () => {
  const world = makeWorld({ 'svc.config.ts': 'export default {}' })
  const [trusted, nobody, , profile] = await each(world, [
    'trust',
    quick('--agent', 'nobody'),
    ['agents', 'create', 'Reviewer', '--instructions', 'Read closely.'],
    'agents get reviewer',
  ])
  assert.match(trusted.out, /is trusted with this file as it is now/)
  assert.match(nobody.err, /there is no agent "nobody": there are none yet, neither in the config nor in/)
  assert.is(
    profile.out,
    'id: reviewer\nname: Reviewer\nrole: worker\ntools: all that the run allows\nsource: config\ninstructions: Read closely.\n',
  )
  const [typo] = await each(world, [quick()], { SVC_TOPOLOGY: 'PARALEL' })
  assert.match(
    typo.err,
    /SVC_TOPOLOGY: \/defaultTopology must be one of SINGLE.*not "PARALEL": did you mean PARALLEL\?/,
  )
})

test('of described providers the first whose key is set is the default, else the first by id', async () => {
  const echo = `export default { id: 'echo', defaultModel: 'one', models: async () => [{ id: 'one' }], async *generate() {} }`
  const house = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'HOUSE_MODEL_KEY', defaultModel: 'm' }
  const world = makeWorld({ '.svc/providers/echo.ts': echo, '.svc/providers/house.json': house })
  const models = ['models', '--trust', '--json']
  const [keyed, doctor] = await each(world, [models, 'doctor --trust'], { HOUSE_MODEL_KEY: 'k' })
  const [keyless] = await each(world, [models])
  assert.is(JSON.parse(keyed.out).defaultModel, 'house/m')
  assert.is(JSON.parse(keyless.out).defaultModel, 'echo/one')
  assert.match(doctor.out, /ok +keys +HOUSE_MODEL_KEY set/)
})

test('in a folder that nobody trusted nothing runs, one line says what was left out, and the run goes on', async () => {
  const world = makeWorld({ 'README.md': README })
  const canary = join(world.home, 'canary')
  addFiles(world.work, {
    'svc.config.ts': `import { writeFileSync } from 'node:fs'
      import { defineConfig, ServiceClient } from '@svc/sdk'
      import { createRuntime } from '@svc/plugins'
      writeFileSync(process.env.HOME + '/canary', [typeof ServiceClient, typeof createRuntime].join())
      export default defineConfig({ tokenBudget: 5000 })`,
    '.svc/providers/mine.json': { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', defaultModel: 'small' },
    '.svc/agents/reviewer.json': { name: 'Reviewer' },
  })
  const [run, plan, provider, model, agent, list, validate, doctor] = await each(world, [
    quick(),
    ['plan', '--json', TASK],
    quick('--provider', 'mine'),
    quick('--model', 'mine/small'),
    quick('--agent', 'reviewer'),
    'trust --list',
    'config validate',
    'doctor',
  ])
  assert.is(run.code, 0)
  assert.match(run.out, /42/)
  const said = run.err.split('\n').filter((line) => line.includes('svc trust'))
  assert.is(said.length, 1, run.err)
  assert.match(said[0] ?? '', /svc\.config\.ts/)
  assert.is(JSON.parse(plan.out).budget.total, 64_000)
  for (const outcome of [provider, model, agent]) {
    assert.is(outcome.code, 3, outcome.err)
    assert.match(outcome.err, /\.svc\/(providers\/mine|agents\/reviewer)\.json.*\[config_untrusted\]/)
  }
  assert.match(list.out, /: not trusted\n(.*\n)*.*svc\.config\.ts/)
  for (const { out } of [validate, doctor])
    assert.match(out, /no file counts, defaults only; left out until you run svc trust: .*svc\.config\.ts/)
  assert.match(doctor.out, /^warn +keys +no model key is set, so the offline provider answers/m)
  assert.not.ok(existsSync(canary), 'no code of the folder ran')

  const [trust, trusted, used] = await each(world, ['trust', ['plan', '--json', TASK], quick('--provider', 'mine')])
  assert.is(trust.code, 0)
  assert.match(trust.out, /is trusted with these 3 files/)
  assert.is(JSON.parse(trusted.out).budget.total, 5000)
  assert.is(readFileSync(canary, 'utf8'), 'function,function', 'config code imports the packages of ours')
  assert.not.match(trusted.err, /svc trust/)
  assert.is(used.code, 5, used.err)

  writeFileSync(join(world.work, '.svc/agents/reviewer.json'), '{"name":"Changed"}')
  const [changed, removed, again] = await each(world, [
    ['plan', '--json', TASK],
    'trust --remove',
    ['plan', '--json', TASK],
  ])
  assert.match(changed.err, /changed since this folder was trusted.*svc trust/)
  assert.is(JSON.parse(changed.out).budget.total, 64_000)
  assert.match(removed.out, /not trusted any more/)
  assert.match(again.err, /is not trusted; run "svc trust"/)
})

test('config show, path and validate say what holds and where it comes from', async () => {
  const world = makeWorld(
    { 'README.md': README, '.svcrc.json': { tokenBudget: 9000 } },
    {
      'svc.config.json': {
        providers: { mine: { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'MINE' } },
      },
    },
  )
  const env = {
    SVC_TOPOLOGY: 'HYBRID',
    MINE: 'canary-secret-key',
    OPENAI_API_KEY: 'sk-canary-secret-key',
  }
  const [show, json, path, validate] = await each(
    world,
    ['config show', 'config show --json', 'config path', 'config validate'],
    env,
  )
  assert.match(show.out, /\/tokenBudget +9000 +.*\.svcrc\.json/)
  const database = { ...env, SVC_DATABASE_URL: 'postgres://me:canary-secret@:/?word@127.0.0.1:1/runs' }
  for (const { out } of await each(world, ['config show', 'config show --json'], database)) {
    assert.match(out, '"postgres://me:[redacted]@127.0.0.1:1/runs"')
    assert.not.match(out, /canary-secret/)
  }
  assert.match(show.out, /\/defaultTopology +"HYBRID" +environment variable SVC_TOPOLOGY/)
  assert.is(JSON.parse(json.out).config.tokenBudget, 9000)
  assert.match(path.out, /svc\/svc\.config\.json\n.*\.svcrc\.json/)
  assert.match(validate.out, /^valid: /)
  const others = await each(world, ['doctor', 'doctor --json', 'models', 'tools --json'], env)
  const [doctor, checks, models, tools] = others
  assert.match(doctor.out, /^ok +node +v/m)
  assert.match(doctor.out, /OPENAI_API_KEY, MINE set/)
  assert.match(doctor.out, /^(ok|warn) +sandbox +(bwrap|unshare|run_command is refused)/m)
  assert.ok(JSON.parse(checks.out).every(({ result }: { result: string }) => /^(ok|warn)$/.test(result)))
  assert.match(models.out, /offline\/extractive/)
  assert.ok(JSON.parse(tools.out).some(({ id }: { id: string }) => id === 'read_file'))
  for (const { code, out, err } of [show, json, path, validate, ...others]) {
    assert.is(code, 0, err)
    assert.not.match(out + err, /canary-secret/)
  }
})

test('agents are made, listed, shown, used and removed', async () => {
  const world = makeWorld({ 'README.md': README })
  const [none, created, again, list, get, run, rm, gone] = await each(world, [
    'agents',
    [
      'agents',
      'create',
      'Close',
      'Reader',
      '--role',
      'reader',
      '--instructions',
      'Read closely.',
      '--tool',
      'read_file',
    ],
    ['agents', 'create', 'Close Reader', '--role', 'checker'],
    'agents list --json',
    'agents get close-reader',
    ['run', '--json', '--agent', 'close-reader', TASK],
    'agents rm close-reader',
    'agents get close-reader',
  ])
  assert.match(none.out, /no agents yet/)
  assert.match(created.out, /made agent close-reader/)
  assert.match(again.out, /changed agent close-reader/)
  assert.equal(
    JSON.parse(list.out).map(({ id, role }: { id: string; role: string }) => [id, role]),
    [['close-reader', 'checker']],
  )
  assert.match(get.out, /^name: Close Reader$/m)
  assert.is(run.code, 0, run.err)
  assert.is(JSON.parse(run.out).agents[0].profileId, 'close-reader')
  assert.match(rm.out, /removed agent close-reader/)
  assert.is(gone.code, 1)
  assert.match(gone.err, /agent "close-reader".*\[agent_not_found\]/)
  assert.not.ok(existsSync(join(world.work, '.svc')), 'no project is made on the way, in which no earlier run would be')
})

test('config env lists the variables, with what they say here and nothing secret', async () => {
  const world = makeWorld({ 'db.txt': 'postgres://me:canary-secret@db/runs\n' })
  const env = { SVC_SERVER_LIMITS_RUNNING_RUNS: '3', SVC_DATABASE_URL_FILE: join(world.work, 'db.txt') }
  const [shown, json] = await each(
    world,
    [
      ['config', 'env'],
      ['config', 'env', '--json'],
    ],
    env,
  )
  assert.is(shown?.code, 0, shown?.err)
  assert.match(shown?.out ?? '', /SVC_SERVER_LIMITS_RUNNING_RUNS +integer +3 +runs at work at once/)
  assert.match(shown?.out ?? '', /SVC_SERVER_PORT +integer +\(4000\)/)
  assert.match(shown?.out ?? '', /SVC_DATABASE_URL +text +postgres:\/\/.*@db\/runs/)
  assert.not.match(`${shown?.out}${json?.out}`, /canary-secret/)
  const listed = JSON.parse(json?.out ?? '[]') as { name: string; value?: string; file?: string }[]
  assert.is(listed.find(({ name }) => name === 'SVC_SERVER_LIMITS_RUNNING_RUNS')?.value, '3')
  assert.is(listed.find(({ name }) => name === 'SVC_DATABASE_URL')?.file, env.SVC_DATABASE_URL_FILE)
})

test.run()
