/** Processes that are asked to end, or stopped for longer than their leases, and connections that are cut, while runs are at work. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CuttingProxy, startCuttingProxy } from './fixtures/cutting-proxy.ts'
import { judge, type Life, type Running, start, type Verdict } from './fixtures/durability/crash-matrix.ts'
import { addFaultWorld, isNightly } from './fixtures/durability/fault-world.ts'
import { type Home, openHome } from './fixtures/durability/homes.ts'
import { pickSome, randomFrom } from './fixtures/durability/matrix-suite.ts'
import type { WorldLog } from './fixtures/durability/outside-world.ts'
import { type ScenarioName, SIDE_BY_SIDE } from './fixtures/durability/scenarios.ts'
import { tryAll } from './fixtures/durability/try-all.ts'
import { missing, type Postgres, startPostgres } from './fixtures/postgres.ts'
import { until } from './fixtures/until.ts'

const test = suite('faults of processes and connections')
const scenarios: readonly ScenarioName[] = isNightly ? SIDE_BY_SIDE : ['sequential', 'fan-out']
const faults = addFaultWorld(test, scenarios)

const random = randomFrom(Number(process.env.SVC_SEED || 1))

let server: Postgres
test.before(async () => {
  if (missing === undefined) server = await startPostgres()
})
test.after(() => {
  if (missing === undefined) server.close()
})

/** Until it has stopped at the write that it was to stop at. */
async function untilStopped(running: Running, writes: number): Promise<void> {
  await until(() => running.said.filter((each) => 'write' in each).length >= writes || running.isOver)
  await running.stopped()
}

/** All that the store holds of the runs. */
async function contentsOf(home: Home): Promise<unknown> {
  const store = await openHome(home)
  const { data } = await store.runs.list({ limit: 100 })
  const runs = await Promise.all(
    data.map(async (row) => [row, await store.events.list(row.id), await store.steps(row.id)]),
  )
  await store.close()
  return runs
}

type Place = [ScenarioName, at: number, when: 'before' | 'after']

/** A process that stops at a write; another ends the runs, and then the first one goes on. */
async function stopAt(home: Home, [scenario, at, when]: Place): Promise<Verdict> {
  const { world, references } = faults
  const cases = faults.newCases([scenario])
  const settings = { home, world: world.url, cases }
  const one = start(settings, { at, when, signal: 'SIGSTOP' })
  await untilStopped(one, at)
  const before: Life = { said: [...one.said], endedAt: Date.now(), code: undefined, isKilled: false, left: 1 }
  const other = await start(settings).ended.catch((thrown) => {
    one.kill('SIGKILL')
    throw thrown
  })
  const [contents, log] = [await contentsOf(home), await world.log()]
  one.kill('SIGCONT')
  const after = await one.ended
  assert.equal(await contentsOf(home), contents, `${scenario}, stopped ${when} write ${at}`)
  const lives = [before, other, { ...after, said: after.said.slice(before.said.length) }]
  // What had left before it was stopped arrives when it goes on: nobody can call it back. So many may, and not one more.
  const { answered, effects } = await world.log()
  const judged: WorldLog = {
    answered: [...log.answered, ...answered.slice(log.answered.length + onTheirWay(before.said, 'model'))],
    effects: [...log.effects, ...effects.slice(log.effects.length + onTheirWay(before.said, 'tool'))],
  }
  return judge({ ...world, log: async () => judged }, home, cases, references, lives)
}

/** How many calls had left and were not answered. */
const onTheirWay = (said: Life['said'], kind: 'model' | 'tool'): number =>
  said.reduce((count, each) => count + ('left' in each && each.left === kind ? each.by : 0), 0)

for (const kind of ['SQLite', 'PostgreSQL']) {
  const isHere = kind === 'SQLite' || missing === undefined
  const withHome = isHere ? test : test.skip
  const newHome = (): Home => ({ ...faults.newHome(), ...(kind === 'SQLite' ? {} : { url: server.newDatabase() }) })

  withHome(
    `${kind}: what a process that is asked to end has left goes on in the next, and nothing is cancelled`,
    async () => {
      const { world, references } = faults
      const moments = isNightly ? [1, 20, 50, 100, 150, 200, 300, 400, 600, 800] : [120]
      await tryAll(`${kind}: a process is asked to end`, moments, 1, async (afterMs) => {
        const home = newHome()
        const cases = faults.newCases(
          Array.from({ length: isNightly ? 10 : 4 }, (_, n) => scenarios[n % scenarios.length] as ScenarioName),
          true,
        )
        const settings = { home, world: world.url, cases }
        const first = await start(settings, { afterMs, signal: 'SIGTERM' }).ended
        assert.is(first.code, 143)
        const ends = first.said.flatMap((each) => ('ended' in each ? [each.ended] : []))
        assert.equal(
          ends.filter((end) => end === 'failed'),
          [],
        )
        return judge(world, home, cases, references, [first, await start(settings).ended])
      })
    },
  )

  withHome(
    `${kind}: a process that is stopped past its lease writes nothing and calls nobody when it goes on`,
    async () => {
      const every = scenarios.flatMap((scenario) =>
        (faults.references.get(scenario)?.writes ?? []).flatMap((_, index): Place[] => [
          [scenario, index + 1, 'before'],
          [scenario, index + 1, 'after'],
        ]),
      )
      const places = isNightly ? every : pickSome(every, 2, random)
      await tryAll(`${kind}: a process is stopped past its lease`, places, 4, (place) => stopAt(newHome(), place))
    },
  )
}

const withServer = missing === undefined ? test : test.skip

withServer('connections that are cut after any number of bytes, in either direction, break nothing', async () => {
  const { world, references } = faults
  const proxy = await startCuttingProxy(server.port)
  // The first bytes of a connection make it ready: fewer would never let anything pass. Who makes the tables needs more than 6,000.
  proxy.cutEach(() => 3_000 + Math.floor(random() * (proxy.cuts === 0 ? 3_000 : 40_000)))
  const rounds = Array.from({ length: isNightly ? 40 : 1 }, (_, round) => round)
  const verdicts = await tryAll('PostgreSQL: connections are cut after some bytes', rounds, 1, async () => {
    const home: Home = { ...faults.newHome(), url: server.newDatabase() }
    const cases = faults.newCases(Array.from({ length: isNightly ? 3 : 1 }, () => scenarios).flat())
    const cut = { ...home, url: home.url?.replace(`:${server.port}/`, `:${proxy.port}/`) }
    const life = await start({ home: cut as Home, world: world.url, cases, isPatient: true }).ended
    return judge(world, home, cases, references, [life])
  })
  if (isNightly) console.log(`${proxy.cuts} connections were cut`)
  assert.ok(proxy.cuts > 0 || verdicts.length === 0)
  proxy.close()
})

/** A process that reaches its database over a proxy. @returns how many statements it made */
async function runOver(
  wanted: readonly ScenarioName[],
  prepare: (proxy: CuttingProxy) => void,
): Promise<[Verdict, number]> {
  const { world, references } = faults
  const proxy = await startCuttingProxy(server.port)
  prepare(proxy)
  const [home, cases] = [{ ...faults.newHome(), url: server.newDatabase() }, faults.newCases(wanted)]
  const over: Home = { ...home, url: home.url.replace(`:${server.port}/`, `:${proxy.port}/`) }
  const life = await start({ home: over, world: world.url, cases, isPatient: true }).ended
  proxy.close()
  return [await judge(world, home, cases, references, [life]), proxy.statements]
}

let everyStatement: [ScenarioName, number][] | undefined

/** Every statement of every scenario; those that make the tables, which all have in common, once. */
async function listStatements(): Promise<[ScenarioName, number][]> {
  if (everyStatement !== undefined) return everyStatement
  const [, opening] = await runOver([], () => {})
  everyStatement = []
  for (const scenario of scenarios) {
    const [, last] = await runOver([scenario], () => {})
    for (let at = everyStatement.length === 0 ? 1 : opening + 1; at <= last; at++) everyStatement.push([scenario, at])
  }
  return everyStatement
}

withServer('a connection that is cut at any statement, before or after the server has it, breaks nothing', async () => {
  const every = (await listStatements()).flatMap(([scenario, at]): [ScenarioName, number, boolean][] => [
    [scenario, at, false],
    [scenario, at, true],
  ])
  const places = isNightly ? every : pickSome(every, 4, random)
  await tryAll('PostgreSQL: a connection is cut', places, 4, async ([scenario, at, isAnswer]) => {
    const [verdict] = await runOver([scenario], (proxy) => proxy.cutAt(at, isAnswer))
    return verdict
  })
})

withServer('a database that stops at any statement for longer than a lease breaks nothing', async () => {
  const every = await listStatements()
  const places = isNightly ? every : pickSome(every, 2, random)
  // All that a server does stops: one place at a time.
  await tryAll('PostgreSQL: it stops past a lease', places, 1, async ([scenario, at]) => {
    const [verdict] = await runOver([scenario], (proxy) => proxy.callAt(at, () => setTimeout(server.freeze(), 1_000)))
    return verdict
  })
})

withServer('runs get over a database that does not answer for a while, whatever they wait for', async () => {
  const { world, references } = faults
  // Leases last 0.5 s here, a statement is asked again after 11 s, and the runs stop after 20.
  const times = isNightly ? [300, 2_000, 13_000, 25_000, 45_000] : [1_500]
  await tryAll('PostgreSQL: it stops for a while', times, 1, async (ms) => {
    const home: Home = { ...faults.newHome(), url: server.newDatabase() }
    const cases = faults.newCases(scenarios, true)
    const running = start({ home, world: world.url, cases, isPatient: true })
    await until(() => running.said.some((each) => 'recorded' in each) || running.isOver)
    const thaw = server.freeze()
    await new Promise((resolve) => setTimeout(resolve, ms))
    thaw()
    return judge(world, home, cases, references, [await running.ended])
  })
})

test.run()
