/** The sides of the benches that are ours. */
import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin } from '@svc/core'
import { createRuntime, SqliteStore } from '@svc/plugins'
import { createServer } from '@svc/server'
import { CONFIG, newTask, scriptedModel } from '../durability/tasks.mjs'
import { talk } from './talk.mjs'

/**
 * A runtime alone, and what the parent may ask of it.
 *
 * @param {{ file?: string, delayMs?: number, claims?: 'all' | 'none' }} options `file` of the store, which else is in memory;
 *   how long the model takes to answer
 */
export async function startEmbedded({ file, delayMs = 0, claims = 'all' }) {
  const limits = { runningRuns: 200, queuedRuns: 1_000_000 }
  const runtime = await createRuntime(
    { ...CONFIG, server: { limits } },
    {
      plugins: [scriptedModel(delayMs === 0 ? undefined : () => sleep(delayMs)), talking],
      env: {},
      claims,
      ...(file !== undefined && { store: new SqliteStore({ file }) }),
    },
  )
  const { runs } = runtime
  const whole = async (task) => {
    const { status } = await runs.wait((await runs.create(task)).id)
    if (status !== 'completed') throw new Error(`a run ended ${status}`)
  }
  const answers = {
    runs: async ({ tasks }) => void (await Promise.all(tasks.map(whole))),
    /** Runs made a second. */
    async creations({ seconds, atOnce }) {
      const until = performance.now() + seconds * 1_000
      let count = 0
      const one = async () => {
        while (performance.now() < until) await runs.create(newTask(`run ${++count}`, 5))
      }
      await Promise.all(Array.from({ length: atOnce }, one))
      return count / seconds
    },
    /** Makes runs that say a line every 50 ms. */
    talkers: ({ count, seconds }) =>
      Promise.all(
        Array.from({ length: count }, async () => (await runs.create({ task: `Talk for ${seconds} seconds` })).id),
      ),
  }
  return { runtime, answers }
}

/** The same runtime behind HTTP. */
export async function startServer(options) {
  const { runtime, answers } = await startEmbedded(options)
  const limits = { requestsPerMinute: 1e9, sseTotal: 10_000, ssePerKey: 10_000 }
  return { answers, url: await createServer({ runtime, port: 0, keys: () => [], limits }).listen() }
}

const talking = definePlugin('talking', ({ hooks }) =>
  hooks.analyze.tapPromise('talking', async (answer, { task: { description } }, run) => {
    const seconds = Number(/^Talk for (\d+)/.exec(description)?.[1] ?? 0)
    if (seconds > 0) await talk(seconds, (message) => run.emit('log.line', { level: 'info', message }))
    return answer
  }),
)()
