/**
 * Measures what the whole pipeline costs over tasks written by hand: processor time per run, all seven stages and all
 * default plugins on, over HTTP through the SDK, against the same calls on the plain `openai` package.
 *
 * One process, one mock server in a child process, batches in turn (A B A B); a ratio is taken of each pair of batches,
 * and its median and quartiles are reported. Aim: at most 1.0 in steady state, at most 1.5 after 300 runs of warm-up.
 *
 * Settings, as environment variables:
 *   OVERHEAD_WARM_UP     runs before the clock starts; default 300,5000: one table each
 *   OVERHEAD_REMEMBERED  runs that are remembered before; default 0; `none` switches session memory off (persistSessions)
 *   OVERHEAD_KINDS       of single, fanout, chain, stream, crowd (200 single runs at once); default all
 *   OVERHEAD_OFF         of memory, reflect, consensus, inspect: stages to leave out, to see what each costs
 *   OVERHEAD_ROUNDS      pairs of batches; default 15
 */
import { cpuOf, median, quartiles, toRow } from './measure.mjs'
import { startMockServer } from './mock-server.mjs'
import { createByHand, KINDS, MODEL, tasks } from './overhead-tasks.mjs'
import { create } from './peer-runner.mjs'

/** Runs in a batch, so that a batch takes some tens of milliseconds. */
const BATCH = { single: 40, fanout: 5, chain: 15, stream: 5, crowd: 200 }
const CROWD = 200

const listOf = (name, fallback) => (process.env[name] ?? fallback).split(',').filter(Boolean)

export async function measure() {
  const warmUps = listOf('OVERHEAD_WARM_UP', '300,5000').map(Number)
  const remembered = listOf('OVERHEAD_REMEMBERED', '0')
  const kinds = listOf('OVERHEAD_KINDS', 'single,fanout,chain,stream,crowd')
  const off = listOf('OVERHEAD_OFF', '')
  const server = await startMockServer()
  const rows = []
  try {
    for (const count of remembered) rows.push(...(await measureAll(server, { warmUps, kinds, off, count })))
    return rows
  } finally {
    server.stop()
  }
}

async function measureAll({ baseURL, count: countCalls }, { warmUps, kinds, off, count }) {
  const hand = createByHand(baseURL)
  const settings = {
    persistSessions: count !== 'none',
    components: Object.fromEntries(off.map((name) => [name, false])),
  }
  const svc = await create({ baseURL, apiKey: 'none', model: MODEL, tasks, settings })
  const rows = []
  try {
    for (const kind of kinds) await checkCalls(kind, hand, svc, countCalls)
    for (let id = 0; id < Number(count); id++) await svc.single(id)
    let done = 0
    for (const warmUp of warmUps) {
      for (; done < warmUp; done += kinds.length) {
        for (const kind of kinds) await Promise.all([hand, svc].map((runner) => toWork(kind)(runner, done)))
      }
      for (const kind of kinds) rows.push(await compare(kind, hand, svc, { warmUp, count, off }))
    }
    return rows
  } finally {
    await svc.close()
  }
}

/** The crowd is made of single runs. */
const toWork = (kind) => KINDS[kind === 'crowd' ? 'single' : kind]

/** A ratio says something only where both sides ask the model as often. @throws Error where they do not */
async function checkCalls(kind, hand, svc, countCalls) {
  const start = await countCalls()
  await toWork(kind)(hand, 1)
  const middle = await countCalls()
  await toWork(kind)(svc, 1)
  const [byHand, bySvc] = [middle - start, (await countCalls()) - middle]
  if (byHand !== bySvc) throw new Error(`${kind}: ${byHand} calls by hand, ${bySvc} by svc`)
}

async function compare(kind, hand, svc, { warmUp, count, off }) {
  const rounds = Number(process.env.OVERHEAD_ROUNDS ?? 15)
  const costs = { hand: [], svc: [], ratios: [] }
  for (let round = 0; round < rounds; round++) {
    const byHand = await costOf(kind, hand, round)
    const bySvc = await costOf(kind, svc, round)
    costs.hand.push(byHand)
    costs.svc.push(bySvc)
    costs.ratios.push(bySvc / byHand)
  }
  const marks = [
    `after ${warmUp}`,
    ...(count === '0' ? [] : [`${count} remembered`]),
    ...(off.length > 0 ? [`without ${off.join(' and ')}`] : []),
  ]
  return toRow({
    name: `${kind === 'crowd' ? `single, ${CROWD} at once` : kind}, ${marks.join(', ')}`,
    value: median(costs.svc),
    unit: kind === 'crowd' ? 'µs wall/run' : 'µs CPU/run',
    peer: median(costs.hand),
    ratio: median(costs.ratios),
    spread: quartiles(costs.ratios),
    aim: warmUp < 1_000 ? 1.5 : 1,
    of: 'ratio',
  })
}

/** Microseconds a run: of the processor, or on the clock where the question is how many runs a second there are. */
async function costOf(kind, runner, round) {
  const runs = BATCH[kind]
  const ids = Array.from({ length: runs }, (_, index) => round * runs + index)
  if (kind === 'crowd') {
    const startedAt = performance.now()
    await Promise.all(ids.map((id) => runner.single(id)))
    return ((performance.now() - startedAt) * 1_000) / runs
  }
  const cost = await cpuOf(async () => {
    for (const id of ids) await KINDS[kind](runner, id)
  })
  return cost / runs
}
