import type { SvcConfig } from '../../contracts/config.ts'
import type { MemoryApi } from '../../contracts/memory/memory.ts'
import type { Host, Plugin } from '../../contracts/plugin/plugin.ts'
import type { Run, RunCreate } from '../../contracts/run/run.ts'
import type { Tool } from '../../contracts/tool/tool.ts'
import { startRuntime } from '../../runtime/assembly/runtime.ts'
import { AMEND } from '../../runtime/hooks/plugin.ts'
import { type Script, scriptedProvider } from '../scripted-provider.ts'
import { type Course, defaultAnswers } from './default-answers.ts'
import { sampleOf } from './sample.ts'
import { createScope } from './scope.ts'
import { type TapCall, watchPlugin } from './watched-plugin.ts'

/** What the taps of a plugin see: the same twice, unless the clock or the random numbers differ. */
export interface World {
  /** Milliseconds that the clock of the watched code is ahead. */
  aheadMs: number
  /** Where its random numbers start. */
  seed: number
}
export const WORLD: World = { aheadMs: 0, seed: 1 }
export const OTHER_WORLD: World = { aheadMs: 400 * 86_400_000, seed: 99 }

export interface ExerciseOptions {
  makePlugin: () => Plugin | Promise<Plugin>
  runs: readonly RunCreate[]
  course?: Course
  /** Whether other plugins answer every stage before the plugin under test. */
  isAnswered?: boolean
  /** Whether the model fails. */
  failsModel?: boolean
  world?: World
  /** Stops the run while this stage is asked, and lets its calls of this kind hang. */
  stop?: { hook: TapCall['hook']; hangs: 'model' | 'tool'; abortWithinMs: number }
  script?: Script | undefined
  config?: SvcConfig | undefined
  /** How long one run may take. */
  settleWithinMs: number
}

export interface Exercised {
  name: string
  calls: TapCall[]
  runs: Run[]
  /** What it keeps, where it provides a memory. */
  kept: readonly unknown[] | undefined
  /** Why it could not be applied. */
  failed?: unknown
}

const NOW = Date.UTC(2024, 4, 1, 12)
const FIRST = -399_000
/** A tap that takes time is stopped after so long, when its call hangs. */
const STOP_AFTER_MS = 25
/** How much longer than it may a tap is waited for that goes on after its run was stopped. */
const BEYOND_MS = 1_500

const answerLikeAModel: Script = ({ outputSchema }) =>
  outputSchema === undefined ? 'The answer is 58.' : JSON.stringify(sampleOf(outputSchema))

/** Runs tasks, one after the other, in a runtime of their own in which one plugin is watched. */
export async function exercise(options: ExerciseOptions): Promise<Exercised> {
  const { course = 'completed', isAnswered = false, world = WORLD, stop, script = answerLikeAModel } = options
  const calls: TapCall[] = []
  let hanging: 'model' | 'tool' | undefined
  let begun: (runId: string) => void = () => {}
  let memory: MemoryApi | undefined
  const plugin = await options.makePlugin()
  const watched = watchPlugin(plugin, {
    calls,
    scope: () => createScope(world.seed, world.aheadMs, ['network', 'program', 'write', 'process']),
    onStart(call) {
      if (stop?.hook !== call.hook || hanging !== undefined) return
      hanging = stop.hangs
      setTimeout(() => begun(call.runId), STOP_AFTER_MS)
    },
  })
  const hang = <T>(): Promise<T> => new Promise(() => {})
  const model = scriptedProvider('check', (request, index) => {
    if (hanging === 'model') return hang()
    if (options.failsModel === true) throw new Error('the model is gone')
    return script(request, index)
  })
  const surroundings: Plugin = {
    name: 'check-surroundings',
    apply(host: Host) {
      host.providers.add('check', model)
      for (const each of TOOLS)
        host.tools.add(each.id, { ...each, run: (...args) => (hanging === 'tool' ? hang() : each.run(...args)) })
    },
  }
  const before = isAnswered ? [defaultAnswers('check-before', FIRST, course)] : []
  const after = defaultAnswers('check-after', AMEND - 1, course)
  let runtime: Awaited<ReturnType<typeof startRuntime>>
  try {
    runtime = await startRuntime({
      plugins: [...before, watched, surroundings, after].map((each) => ({ plugin: each })),
      config: { ...options.config, model: 'check/scripted' },
      clock: () => NOW,
      drainMs: 0,
      tapTimeoutMs: options.settleWithinMs,
    })
    memory = runtime.memory
  } catch (failed) {
    return { name: plugin.name, calls, runs: [], kept: undefined, failed }
  }
  try {
    const runs: Run[] = []
    for (const create of options.runs) {
      const { id } = await runtime.runs.create({ seed: 7, ...create })
      begun = (runId) => void runtime.runs.cancel(runId).catch(() => {})
      const ended = await runtime.runs.wait(id, options.settleWithinMs)
      if (ended.finishedAt === undefined) await runtime.runs.cancel(id).catch(() => {})
      runs.push(ended)
      await settled(calls, stop === undefined ? 0 : stop.abortWithinMs + BEYOND_MS)
    }
    const kept = await memory.list({ limit: 100 }).then(
      ({ data }) => [...data],
      () => undefined,
    )
    return { name: plugin.name, calls, runs, kept }
  } finally {
    await runtime.close()
  }
}

/** Waits until no tap is at work any more, for so long at most. */
async function settled(calls: readonly TapCall[], mostMs: number): Promise<void> {
  const end = performance.now() + mostMs
  while (performance.now() < end && calls.some((call) => !call.settled))
    await new Promise((done) => setTimeout(done, 5))
}

const TEXT = { type: 'object', properties: { path: { type: 'string' }, query: { type: 'string' } } }
const toolOf = (id: string, output: string): Tool => ({
  id,
  description: `Answers "${output}".`,
  parameters: TEXT,
  risk: 'read',
  run: async () => output,
})
const TOOLS: readonly Tool[] = [
  toolOf('list_files', 'north.md\nsouth.md'),
  toolOf('read_file', '1\tThe north has 41 shops.'),
  toolOf('search_files', 'south.md:1: The south has 17 shops.'),
]
