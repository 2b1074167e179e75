/**
 * Measures what the whole pipeline costs over tasks written by hand: processor time per run, all seven stages and all
 * default plugins on, over HTTP through the SDK, against the same calls on the plain `openai` package; and for one agent with a
 * tool what other libraries cost, where `npm install --prefix bench/peers` has put them.
 *
 * Noise: one process, one mock server in a child process, batches in turn (A B A B); processor time instead of the clock; a
 * ratio is taken of each pair of batches, and its median and quartiles are reported. On a machine that does other work as well,
 * `chrt -r 5 npm run bench -- pipeline` (root) keeps it from taking turns with that: its caches are then its own.
 * Aim: at most 1.0 in steady state, at most 1.2 after 60 runs of warm-up.
 *
 * Settings, as environment variables:
 *   OVERHEAD_WARM_UP     runs before the clock starts; default 60,5000: one table each
 *   OVERHEAD_REMEMBERED  runs that are remembered before; default 0; `none` switches session memory off (persistSessions)
 *   OVERHEAD_KINDS       of single, fanout, chain, stream; default all
 *   OVERHEAD_OFF         of memory, reflect, consensus, inspect: stages to leave out, to see what each costs
 *   OVERHEAD_ROUNDS      pairs of batches; default 15
 */
import { existsSync } from 'node:fs'
import { cpuOf, median, quartiles, toRow } from './measure.mjs'
import { startMockServer } from './mock-server.mjs'
import { createByHand, KINDS, MODEL, tasks } from './overhead-tasks.mjs'
import { create } from './peer-runner.mjs'

/** Runs in a batch, which lasts longer than there is between two collections of young objects. */
const BATCH = { single: 160, fanout: 20, chain: 60, stream: 30 }
/** Runs up to which the code is young. */
const YOUNG = 1_000

const listOf = (name, fallback) => (process.env[name] ?? fallback).split(',').filter(Boolean)

export async function measure() {
  const warmUps = listOf('OVERHEAD_WARM_UP', '60,5000').map(Number)
  const remembered = listOf('OVERHEAD_REMEMBERED', '0')
  const kinds = listOf('OVERHEAD_KINDS', 'single,fanout,chain,stream')
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
        for (const kind of kinds) await Promise.all([hand, svc].map((runner) => KINDS[kind](runner, done)))
      }
      for (const kind of kinds) rows.push(await compare(kind, hand, svc, { name: 'svc', warmUp, count, off }))
    }
  } finally {
    await svc.close()
  }
  // They are loaded last: some of them change what the platform's own streams cost.
  for (const [name, peer] of Object.entries(await peersAt(baseURL))) {
    await checkCalls('single', hand, peer, countCalls)
    let done = 0
    for (const warmUp of warmUps) {
      for (; done < warmUp; done += kinds.length) await peer.single(done)
      rows.push(await compare('single', hand, peer, { name, warmUp, count: '0', off: [] }))
    }
  }
  return rows
}

/** Other libraries, by name; none where they are not installed. */
async function peersAt(baseURL) {
  if (!existsSync(new URL('peers/node_modules/ai', import.meta.url))) return {}
  const { createPeers } = await import('./peers/single.mjs')
  const peers = createPeers({ baseURL, model: MODEL, tasks })
  return Object.fromEntries(Object.entries(peers).map(([name, single]) => [name, { single }]))
}

/** A ratio says something only where both sides ask the model as often. @throws Error where they do not */
async function checkCalls(kind, hand, runner, countCalls) {
  const start = await countCalls()
  await KINDS[kind](hand, 1)
  const middle = await countCalls()
  await KINDS[kind](runner, 1)
  const [byHand, other] = [middle - start, (await countCalls()) - middle]
  if (byHand !== other) throw new Error(`${kind}: ${byHand} calls by hand, ${other} by the library`)
}

async function compare(kind, hand, runner, { name, warmUp, count, off }) {
  const rounds = Number(process.env.OVERHEAD_ROUNDS ?? 15)
  const costs = { hand: [], own: [], ratios: [] }
  for (let round = 0; round < rounds; round++) {
    const byHand = await costOf(kind, hand, round)
    const own = await costOf(kind, runner, round)
    costs.hand.push(byHand)
    costs.own.push(own)
    costs.ratios.push(own / byHand)
  }
  const marks = [
    `after ${warmUp}`,
    ...(name === 'svc' ? [] : [name]),
    ...(count === '0' ? [] : [`${count} remembered`]),
    ...(off.length > 0 ? [`without ${off.join(' and ')}`] : []),
  ]
  return toRow({
    name: `${kind}, ${marks.join(', ')}`,
    value: median(costs.own),
    unit: 'µs CPU/run',
    peer: median(costs.hand),
    ratio: median(costs.ratios),
    spread: quartiles(costs.ratios),
    ...(name === 'svc' && { aim: warmUp < YOUNG ? 1.2 : 1, of: 'ratio' }),
  })
}

/** Microseconds of the processor a run. */
async function costOf(kind, runner, round) {
  const runs = BATCH[kind]
  const cost = await cpuOf(async () => {
    for (let index = 0; index < runs; index++) await KINDS[kind](runner, round * runs + index)
  })
  return cost / runs
}
