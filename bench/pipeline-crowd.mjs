/**
 * Measures many runs at once in a new process, where little is compiled yet: 2,000 runs of one agent with a tool, 200 at once,
 * through svc and by hand on the plain `openai` package.
 *
 * Noise: a new process a measurement, the two sides in turn (A B A B); a ratio is taken of each pair, and its median and
 * quartiles are reported. Aims: as many runs a second, and no more memory.
 *
 * Settings, as environment variables:
 *   CROWD_ROUNDS  pairs of processes; default 5
 */
import { fileURLToPath } from 'node:url'
import { cpuOf, median, outputOf, quartiles, toRow } from './measure.mjs'
import { startMockServer } from './mock-server.mjs'
import { createByHand, MODEL, tasks } from './overhead-tasks.mjs'
import { create } from './peer-runner.mjs'

const RUNS = 2_000
const AT_ONCE = 200
const FILE = fileURLToPath(import.meta.url)

export async function measure() {
  const rounds = Number(process.env.CROWD_ROUNDS ?? 5)
  const server = await startMockServer()
  const measured = { hand: [], svc: [] }
  try {
    for (let round = 0; round < rounds; round++) {
      for (const side of ['hand', 'svc']) measured[side].push(JSON.parse(await outputOf([FILE, side, server.baseURL])))
    }
  } finally {
    server.stop()
  }
  const name = `${RUNS} single runs, ${AT_ONCE} at once, new process`
  const row = (what, unit, more) => {
    const of = (side) => measured[side].map((each) => each[what])
    const ratios = of('svc').map((own, index) => own / of('hand')[index])
    return toRow({
      ...{ name: `${name}: ${what}`, value: median(of('svc')), unit, peer: median(of('hand')) },
      ...{ ratio: median(ratios), spread: quartiles(ratios), ...more },
    })
  }
  const aim = { aim: 1, of: 'ratio' }
  return [row('processor', 'µs CPU/run'), row('clock', 'µs wall/run', aim), row('memory', 'MB at most', aim)]
}

async function run(side, baseURL) {
  const settings = { persistSessions: false }
  const runner =
    side === 'svc' ? await create({ baseURL, apiKey: 'none', model: MODEL, tasks, settings }) : createByHand(baseURL)
  let next = 0
  const lane = async () => {
    while (next < RUNS) await runner.single(next++)
  }
  const started = performance.now()
  const cpu = await cpuOf(() => Promise.all(Array.from({ length: AT_ONCE }, lane)))
  const clock = (performance.now() - started) * 1_000
  const memory = process.resourceUsage().maxRSS / 1_024
  console.log(JSON.stringify({ processor: cpu / RUNS, clock: clock / RUNS, memory }))
  await runner.close?.()
  process.exit()
}

if (process.argv[1] === FILE) await run(process.argv[2], process.argv[3])
