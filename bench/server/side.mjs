/**
 * One side of a bench, in a process of its own: a server, the same runs without one, or a floor. The parent asks for
 * figures over the channel between the processes.
 *
 * Usage: node side.mjs <server | embedded | http | express> '<options as JSON>'
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { startExpress, startHttp } from './floor.mjs'
import { startEmbedded, startServer } from './ours.mjs'

const STARTS = { server: startServer, embedded: startEmbedded, http: startHttp, express: startExpress }

const [kind, options = '{}'] = process.argv.slice(2)
const lag = monitorEventLoopDelay({ resolution: 5 })
lag.enable()
const { url = '', answers = {} } = await STARTS[kind](JSON.parse(options))

/** Processor time so far, memory now, handles, and the 99th percentile of the event loop's delay since the last question. */
answers.figures = () => {
  globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const lagMs = lag.percentile(99) / 1e6
  lag.reset()
  const { rss, heapUsed } = process.memoryUsage()
  const handles = process.getActiveResourcesInfo().length
  return { cpuMs: (user + system) / 1_000, rssMb: rss / 1e6, heapMb: heapUsed / 1e6, lagMs, handles }
}
process.on('message', async ({ id, ask, ...rest }) => process.send?.({ id, answer: await answers[ask]?.(rest) }))
process.on('SIGINT', () => process.exit())
process.send?.({ url })
