import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createError,
  createMemoryStore,
  type ExecutionResult,
  isErrorCode,
  type LoadedConfig,
  type RunCreate,
  type RunEvent,
  type RunOptions,
  type Runtime,
} from '@svc/core'
import { createRuntime } from '@svc/plugins'
import { waitForEnd } from '../wait-for-end.ts'
import type { Arm } from './arms.ts'
import type { TaskInput } from './experiment-schema.ts'
import type { ExperimentFolder } from './folder.ts'
import { isHopeless, isOutside, RunAgain } from './outside.ts'
import { AGAIN, BASE, type Cell } from './record.ts'
import { openReplay, type Replay } from './replay.ts'
import type { Score, Scorer } from './scorers/scorer.ts'

/** What all cells of an experiment share. */
export interface CellSettings {
  folder: ExperimentFolder
  /** What the base says of every run. */
  options: RunOptions
  scorer: Scorer
  replay: 'off' | 'fill' | 'strict'
  /** A folder of which each run gets a copy. */
  workspace: string | undefined
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}

/** One run that is to be made. */
export interface CellPlan {
  arm: Arm
  loaded: LoadedConfig
  task: TaskInput
  seed: number
}

/** Path of a run's bundle from the experiment's folder. */
export const bundleOf = (arm: string, task: string, seed: number): string => join('runs', arm, `${task}-${seed}.svcrun`)

/** What a run is asked to do: the base's options, under the task's, under the arm's. */
export function toRequest(base: RunOptions, { arm, task, seed }: Omit<CellPlan, 'loaded'>): RunCreate {
  const options = { ...base, ...task.options, ...arm.options }
  const material = task.options?.context ?? (arm.prompt === undefined ? base.context : undefined)
  const parts = typeof material === 'string' ? [{ type: 'text' as const, text: material }] : (material ?? [])
  const context =
    arm.prompt === undefined
      ? material
      : parts.length === 0
        ? arm.prompt
        : [{ type: 'text' as const, text: arm.prompt }, ...parts]
  return {
    approval: 'deny',
    ...options,
    ...(context === undefined ? {} : { context }),
    task: task.task,
    mode: 'execute',
    seed,
  }
}

/**
 * Makes one run in a runtime of its own, with an empty memory, scores it, and writes its bundle.
 *
 * @throws SvcError for what each further run of the arm would fail with, or a scorer that fails
 */
export async function runCell(plan: CellPlan, settings: CellSettings): Promise<Cell> {
  const { arm, loaded, task, seed } = plan
  const { folder, env } = settings
  const source = task.workspace ?? settings.workspace
  const workspace = source === undefined ? undefined : copyOf(source)
  const isLive = arm.id === BASE || arm.id === AGAIN || settings.replay === 'off'
  const replay = isLive
    ? undefined
    : await openReplay(join(folder.path, bundleOf(BASE, task.id, seed)), settings.replay as 'fill' | 'strict')
  const runtime = await createRuntime(loaded, {
    env,
    persist: false,
    store: createMemoryStore(),
    claims: 'own',
    ...(workspace === undefined ? {} : { workspace }),
    ...replay?.options,
  })
  try {
    return await measure(runtime, plan, settings, { workspace, replay })
  } finally {
    await runtime.close()
    if (workspace !== undefined) rmSync(workspace, { recursive: true, force: true })
  }
}

function copyOf(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'svc-run-'))
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

async function measure(
  runtime: Runtime,
  plan: CellPlan,
  { folder, options, scorer, signal }: CellSettings,
  { workspace, replay }: { workspace: string | undefined; replay: Replay | undefined },
): Promise<Cell> {
  const { arm, task, seed } = plan
  const { runs } = runtime
  const { id } = await runs.create(toRequest(options, plan), { deltas: false })
  const cancel = (): void => void runs.cancel(id, 'the experiment was stopped').catch(() => {})
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  const run = await waitForEnd(runs, id).finally(() => signal.removeEventListener('abort', cancel))
  const result = (await runs.result(id)) as ExecutionResult
  const error = run.error ?? result.error
  if (error !== undefined && isHopeless(error.code))
    throw createError(
      isErrorCode(error.code) ? error.code : 'run_failed',
      `arm ${arm.id}, task ${task.id}: ${error.message}`,
    )
  const events: RunEvent[] = []
  for await (const event of runs.events(id, { deltas: false })) events.push(event)
  const cell = {
    ...toCell(plan, result),
    ...(replay && { replay: countReplay(replay, events) }),
    runId: id,
    status: run.status,
  }
  if (error !== undefined) cell.error = { code: error.code, message: error.message }
  if (run.status === 'cancelled' || (run.status === 'failed' && isOutside(error?.code ?? ''))) cell.outside = true
  if (run.status === 'completed' || run.status === 'incomplete') {
    const { expected } = task
    Object.assign(
      cell,
      await scoreOf(scorer, { task: task.task, expected, result, events, input: task, workspace, signal }),
    )
  }
  if (cell.outside !== true) {
    const chunks: Uint8Array[] = []
    for await (const chunk of runs.export(id)) chunks.push(chunk)
    cell.bundle = bundleOf(arm.id, task.id, seed)
    folder.write(cell.bundle, Buffer.concat(chunks))
  }
  return cell
}

/** How many calls were answered from the recording, and what the others took. */
function countReplay(replay: Replay, events: readonly RunEvent[]): NonNullable<Cell['replay']> {
  const { hits, misses } = replay.counts()
  if (misses === 0) return { hits, misses, paidTokens: 0, paidUsd: 0 }
  const made = events.flatMap(({ type, data }) => (type === 'model.completed' && data.recorded !== true ? data : []))
  const costs = made.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    hits,
    misses,
    paidTokens: made.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0),
    paidUsd: costs.length === made.length ? costs.reduce((sum, cost) => sum + cost, 0) : null,
  }
}

/** A judge that cannot be reached says nothing about the answer: the cell is made again. */
async function scoreOf(scorer: Scorer, answered: Parameters<Scorer['score']>[0]): Promise<Score & Partial<Cell>> {
  try {
    return await scorer.score(answered)
  } catch (thrown) {
    if (!(thrown instanceof RunAgain) || isHopeless(thrown.code)) throw thrown
    const { code, message, used } = thrown
    return { score: 0, outside: true, error: { code, message }, judge: used }
  }
}

/** The figures of a run, without its score. */
function toCell({ arm, task, seed }: CellPlan, result: ExecutionResult): Cell {
  const { usage, complexity } = result
  const topology = result.plan?.topology
  return {
    arm: arm.id,
    task: task.id,
    seed,
    runId: result.runId,
    status: result.status,
    score: 0,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cachedTokens: usage.cachedTokens ?? 0,
    estimated: usage.estimated,
    costUsd: result.costUsd,
    latencyMs: result.timing.durationMs,
    modelCalls: usage.modelCalls,
    toolCalls: result.toolCalls.total,
    ...(topology === undefined ? {} : { topology }),
    ...(complexity === undefined
      ? {}
      : {
          analysis: {
            recommendedTopology: complexity.recommendedTopology,
            score: complexity.score,
            confidence: complexity.confidence,
            utilities: complexity.utilities,
          },
        }),
    issues: (result.inspection?.issues ?? []).map(({ mast, code }) => mast ?? code),
  }
}
