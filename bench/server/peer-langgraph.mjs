/**
 * The same load on LangGraph's own server for development, which keeps runs in memory, and on ours over memory and over a
 * file: 4 steps of 50 ms for each of 200 runs at once; a request that only says the server is there; start and memory.
 *
 * Usage: SVC_BENCH_LANGGRAPH=<folder> node bench/server/peer-langgraph.mjs [--rounds 4] [--runs 200]
 *   The folder lies outside the repository and has @langchain/langgraph, langgraph-cli, langgraph-api and core installed.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { newAnswer, newTask } from '../durability/tasks.mjs'
import { median, numbersOf } from '../measure.mjs'
import { closeIdle, forkSide, send, takeTurns } from './fork-side.mjs'

const { rounds, runs } = numbersOf({ rounds: 4, runs: 200 })
const STEPS = 4
const DELAY_MS = 50
const WARM_UP = 2
const PORT = 8127

const folder = process.env.SVC_BENCH_LANGGRAPH
if (folder === undefined) {
  console.log('skipped: SVC_BENCH_LANGGRAPH names no folder with LangGraph')
  process.exit()
}
const dir = mkdtempSync(join(tmpdir(), 'svc-server-bench-'))
const peer = await startPeer()
const sides = [
  { name: 'svc, in memory', ...(await startOurs({})) },
  { name: 'svc, in a file', ...(await startOurs({ file: join(dir, 'svc.db') })) },
  { name: 'LangGraph', ...peer },
]
try {
  const figures = await takeTurns(sides, {
    rounds,
    warmUp: WARM_UP,
    async work({ run }) {
      closeIdle()
      await Promise.all(Array.from({ length: runs }, run))
    },
  })
  console.log(`${runs} runs at once, ${STEPS} steps of ${DELAY_MS} ms each, median of ${rounds} rounds`)
  for (const [index, { name, pid, live }] of sides.entries()) {
    const { requests } = await autocannon({ url: live, connections: 50, duration: 3 })
    const { cpuMs, ms } = figures[index]
    console.log(
      `${name.padEnd(15)} ${(median(cpuMs) / runs).toFixed(1)} ms of CPU a run; all end after ${median(ms).toFixed(0)} ms; ` +
        `"are you there" ${requests.average.toFixed(0)} a second; memory ${treeMb(pid).toFixed(0)} MB`,
    )
  }
} finally {
  for (const { stop } of sides) stop()
  rmSync(dir, { recursive: true, force: true })
}
process.exit()

async function startOurs(options) {
  const side = await forkSide('server', { ...options, delayMs: DELAY_MS }, [])
  let count = 0
  const run = () => send(`${side.url}/v1/runs?wait=60000`, newTask(`run ${++count}`, STEPS))
  return { pid: side.pid, cpuMs: () => treeMs(side.pid), run, stop: side.stop, live: `${side.url}/livez` }
}

async function startPeer() {
  writeFileSync(join(folder, 'graph.mjs'), graph())
  writeFileSync(join(folder, 'langgraph.json'), '{"node_version":"20","graphs":{"agent":"./graph.mjs:graph"},"env":{}}')
  const program = join(folder, 'node_modules/.bin/langgraphjs')
  const rest = ['dev', '--no-browser', '--port', String(PORT), '--n-jobs-per-worker', String(runs)]
  const started = performance.now()
  const child = spawn(program, rest, { cwd: folder, stdio: 'ignore', detached: true })
  const url = `http://127.0.0.1:${PORT}`
  while (
    !(await fetch(`${url}/ok`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(20)
  console.log(`LangGraph is ready after ${(performance.now() - started).toFixed(0)} ms`)
  const run = async () => {
    const { n } = JSON.parse(await send(`${url}/runs/wait`, { assistant_id: 'agent', input: { n: 0 } }))
    if (n !== STEPS) throw new Error(`the run ended at step ${n}`)
  }
  return {
    pid: child.pid,
    cpuMs: () => treeMs(child.pid),
    run,
    stop: () => process.kill(-child.pid, 'SIGKILL'),
    live: `${url}/ok`,
  }
}

/** Steps in a row, each of which says as much as our model does. */
function graph() {
  const names = Array.from({ length: STEPS }, (_, index) => `step${index + 1}`)
  const edges = ['START', ...names.map((name) => `'${name}'`), 'END']
  return `import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
const last = (value) => Annotation({ reducer: (_, next) => next, default: () => value })
const State = Annotation.Root({ n: last(0), text: last('') })
const step = async ({ n }) => {
  await new Promise((resolve) => setTimeout(resolve, ${DELAY_MS}))
  return { n: n + 1, text: ${JSON.stringify(newAnswer())} + n }
}
export const graph = new StateGraph(State)${names.map((name) => `.addNode('${name}', step)`).join('')}${edges
    .slice(1)
    .map((to, index) => `.addEdge(${edges[index]}, ${to})`)
    .join('')}.compile()
`
}

const statOf = (pid) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)

/** A process and all that hang from it. */
function treeOf(first) {
  const parents = readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [[Number(name), statOf(name)[1]]] : []
    } catch {
      return [] // it has just ended
    }
  })
  const tree = [first]
  for (const pid of tree) tree.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child))
  return tree
}

/** Processor time of a process and its children so far, in milliseconds. */
const treeMs = (first) =>
  treeOf(first)
    .map(statOf)
    .reduce((sum, fields) => sum + (fields[11] + fields[12]) * 10, 0)

function treeMb(first) {
  const rss = execFileSync('ps', ['-o', 'rss=', '-p', treeOf(first).join()], { encoding: 'utf8' })
  return (
    rss
      .trim()
      .split('\n')
      .reduce((sum, kb) => sum + Number(kb), 0) / 1_000
  )
}
