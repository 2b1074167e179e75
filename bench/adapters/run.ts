/**
 * What the protocols of others cost over `POST /v1/runs`: CPU of the server for a request, and for a piece of a stream.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/adapters/run.ts [--rounds 7] [--requests 100] [--pieces 4000]
 *
 * All are asked in turns in one process, round by round; a figure is the median of what its rounds differ by from the floor's.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { numbersOf, withQuartiles } from '../measure.mjs'
import { toTable } from '../table.mjs'
import { plain } from './plain.ts'
import type { AdapterBench } from './types.ts'

const { rounds = 7, requests = 100, pieces = 4_000 } = numbersOf({ rounds: 7, requests: 100, pieces: 4_000 })
const OWN = new Set(['run.ts', 'serve.ts', 'plain.ts', 'types.ts'])
const here = fileURLToPath(new URL('.', import.meta.url))

const benches = new Map<string, AdapterBench>([['plain', plain]])
for (const file of readdirSync(here).filter((name) => name.endsWith('.ts') && !OWN.has(name)))
  for (const [name, bench] of Object.entries((await import(`./${file}`)) as Record<string, AdapterBench>))
    benches.set(name, bench)

const child = fork(`${here}serve.ts`, [String(pieces)], { execArgv: process.execArgv })
const [{ url }] = (await once(child, 'message')) as [{ url: string }]

async function cpu(): Promise<number> {
  child.send('cpu')
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }]
  return cpu.user + cpu.system
}

/** Microseconds of the server's CPU for each of some calls. */
async function costOf(count: number, call: () => Promise<unknown>): Promise<number> {
  const before = await cpu()
  for (let index = 0; index < count; index++) await call()
  return ((await cpu()) - before) / count
}

type Cost = { request: number; short: number; long: number; said: number }
const costs = new Map<string, Cost[]>([...benches.keys()].map((name) => [name, []]))
for (let round = -1; round < rounds; round++) {
  for (const [name, bench] of benches) {
    let said = 0
    const cost = {
      request: await costOf(requests, () => bench.request(url, 'Say a short word.')),
      short: await costOf(requests, () => bench.stream(url, 'Say a short word.')),
      long: await costOf(Math.ceil(requests / 20), async () => {
        said = await bench.stream(url, 'Say a long text.')
      }),
      said,
    }
    if (round >= 0) costs.get(name)?.push(cost)
  }
}
child.kill()

const floor = costs.get('plain') ?? []
/** What each round took more than the floor did in the same round. */
const over = (name: string, of: (cost: Cost) => number): string =>
  withQuartiles((costs.get(name) ?? []).map((cost, round) => of(cost) - of(floor[round] ?? cost)))
const perPiece = ({ long, short, said }: Cost): number => (long - short) / Math.max(1, said)
const table = toTable(
  ['protocol', 'request, us over plain', 'stream, us over plain', 'piece, us over plain', 'pieces'],
  [...benches.keys()].map((name) =>
    name === 'plain'
      ? [
          'plain (whole)',
          ...[(c: Cost) => c.request, (c: Cost) => c.short, perPiece].map((of) => withQuartiles(floor.map(of))),
          String(floor[0]?.said ?? 0),
        ]
      : [
          name,
          over(name, ({ request }) => request),
          over(name, ({ short }) => short),
          over(name, perPiece),
          String(costs.get(name)?.[0]?.said ?? 0),
        ],
  ),
)
console.log(table.join('\n'))
