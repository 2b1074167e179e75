import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
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
  toSvcError,
} from '@svc/core'
import { createRuntime, openCassette } from '@svc/plugins'
import type { Arm } from '../design/arms.ts'
import type { TaskInput } from '../design/experiment-schema.ts'
import type { Score, Scorer } from '../scorers/scorer.ts'
import type { ExperimentFolder } from './folder.ts'
import { isHopeless, isOutside, RunAgain } from './outside.ts'
import { AGAIN, BASE, type Cell } from './record.ts'

/** What all cells of an experiment share. */
export interface CellOptions {
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
  /** Its config, with code of its own. */
  load(): Promise<LoadedConfig>
  task: TaskInput
  seed: number
}

/** Path of a run's bundle from the experiment's folder; of a set-up turn before it, counted from 1, where one is given. */
export const bundleOf = (arm: string, task: string, seed: number, setup?: number): string =>
  join('runs', arm, `${task}-${seed}${setup === undefined ? '' : `.setup-${setup}`}.svcrun`)

/** What a run is asked to do: the base's options, under the task's, under the arm's. */
export function toRequest(base: RunOptions, { arm, task, seed }: Omit<CellPlan, 'load'>): RunCreate {
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

/** A run that has ended. */
interface MadeRun {
  status: Cell['status']
  error: Cell['error']
  result: ExecutionResult
  events: readonly RunEvent[]
  replay?: NonNullable<Cell['replay']>
  setup?: NonNullable<Cell['setup']>
  /** From the experiment's folder. */
  bundle: string
}

/**
 * Makes one run in a runtime of its own, whose code was loaded for it alone and whose memory holds what the task's set-up turns
 * left there, writes its bundle, and scores it. A run whose bundle is there and
 * that was not scored, since svc or the scorer failed, is scored and not made again.
 *
 * @throws SvcError for what each further run of the arm would fail with; ConfigError `config_invalid` for a scorer that fails
 */
export async function runCell(plan: CellPlan, settings: CellOptions): Promise<Cell> {
  const { arm, task, seed } = plan
  const { folder, env } = settings
  const source = task.workspace ?? settings.workspace
  const isLive = arm.id === BASE || arm.id === AGAIN || settings.replay === 'off'
  // What a run has left in its workspace is gone with it.
  const kept = source === undefined ? await readKept(plan, folder) : undefined
  if (kept !== undefined)
    return toScored(plan, settings, isLive ? kept : { ...kept, replay: countReplay(kept.events, settings.replay) })
  const workspace = source === undefined ? undefined : copyOf(source)
  const cassette = isLive
    ? undefined
    : await openCassette(join(folder.path, bundleOf(BASE, task.id, seed)), settings.replay as 'fill' | 'strict')
  const runtime = await createRuntime(await plan.load(), {
    env,
    persist: false,
    store: createMemoryStore(),
    claims: 'own',
    ...(workspace === undefined ? {} : { workspace }),
    ...(cassette === undefined ? {} : { cassette }),
  })
  try {
    const made = await makeRuns(runtime, plan, settings)
    const counted = isLive ? made : { ...made, replay: countReplay(made.events, settings.replay) }
    return await toScored(plan, settings, counted, workspace)
  } finally {
    await runtime.close()
    if (workspace !== undefined) rmSync(workspace, { recursive: true, force: true })
  }
}

async function readKept(plan: CellPlan, folder: ExperimentFolder): Promise<MadeRun | undefined> {
  const read = async (bundle: string): Promise<MadeRun | undefined> => {
    const file = join(folder.path, bundle)
    if (!existsSync(file)) return undefined
    const { row, events } = (await openCassette(file, 'strict')).recording
    return { status: row.status, error: row.error, result: row.result as ExecutionResult, events, bundle }
  }
  const { arm, task, seed } = plan
  const measured = await read(bundleOf(arm.id, task.id, seed))
  if (measured === undefined || task.setup === undefined) return measured
  const turns = await Promise.all(task.setup.map((_, index) => read(bundleOf(arm.id, task.id, seed, index + 1))))
  return { ...measured, setup: sumSetup(turns.flatMap((turn) => turn ?? [])) }
}

function copyOf(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'svc-run-'))
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** The set-up turns one after the other, then the measured one; a set-up turn that fails is how the run ends. */
async function makeRuns(runtime: Runtime, plan: CellPlan, settings: CellOptions): Promise<MadeRun> {
  const { arm, task, seed } = plan
  const { options } = settings
  const where = `arm ${arm.id}, task ${task.id}`
  const turns: MadeRun[] = []
  for (const [index, text] of (task.setup ?? []).entries()) {
    // Options of the task are those of its measured turn.
    const request = toRequest(options, { arm, task: { id: task.id, task: text }, seed })
    const turn = await makeRun(runtime, request, bundleOf(arm.id, task.id, seed, index + 1), where, settings)
    turns.push(turn)
    if (turn.status === 'completed' || turn.status === 'incomplete') continue
    const { code = 'run_failed', message = turn.status } = turn.error ?? {}
    return { ...turn, error: { code, message: `set-up turn ${index + 1}: ${message}` }, setup: sumSetup(turns) }
  }
  const made = await makeRun(runtime, toRequest(options, plan), bundleOf(arm.id, task.id, seed), where, settings)
  return turns.length === 0 ? made : { ...made, setup: sumSetup(turns) }
}

function sumSetup(turns: readonly MadeRun[]): NonNullable<Cell['setup']> {
  const costs = turns.flatMap(({ result: { costUsd } }) => costUsd ?? [])
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  return {
    turns: turns.length,
    inputTokens: sum(turns.map(({ result: { usage } }) => usage.inputTokens)),
    outputTokens: sum(turns.map(({ result: { usage } }) => usage.outputTokens)),
    costUsd: costs.length === turns.length ? sum(costs) : null,
  }
}

/** The bundle of a run that counts is written before anything else can fail. */
async function makeRun(
  { runs }: Runtime,
  request: RunCreate,
  bundle: string,
  where: string,
  { folder, signal }: CellOptions,
): Promise<MadeRun> {
  const { done } = await runs.start(request, { deltas: false, signal })
  const run = await done
  const { id } = run
  const result = run.result as ExecutionResult
  const error = run.error ?? result.error
  if (error !== undefined && isHopeless(error.code))
    throw createError(isErrorCode(error.code) ? error.code : 'run_failed', `${where}: ${error.message}`)
  const events: RunEvent[] = []
  for await (const event of runs.events(id, { deltas: false })) events.push(event)
  const made = { status: run.status, error, result, events, bundle }
  if (!failedOutside(made)) {
    const chunks: Uint8Array[] = []
    for await (const chunk of runs.export(id)) chunks.push(chunk)
    folder.write(bundle, Buffer.concat(chunks))
  }
  return made
}

const failedOutside = ({ status, error }: Pick<MadeRun, 'status' | 'error'>): boolean =>
  status === 'cancelled' || (status === 'failed' && isOutside(error?.code ?? ''))

async function toScored(
  plan: CellPlan,
  { scorer, signal }: CellOptions,
  { status, error, result, events, replay, setup, bundle }: MadeRun,
  workspace?: string,
): Promise<Cell> {
  const { arm, task, seed } = plan
  const cell: Cell = { ...toCell(plan, result), ...(replay && { replay }), ...(setup && { setup }), status }
  if (error !== undefined) cell.error = { code: error.code, message: error.message }
  if (failedOutside({ status, error })) cell.outside = true
  else cell.bundle = bundle
  if (status !== 'completed' && status !== 'incomplete') return cell
  const { expected } = task
  const answered = { id: task.id, task: task.task, expected, result, events, input: task, workspace, signal }
  return Object.assign(cell, await scoreOf(scorer, answered, `arm ${arm.id}, task ${task.id}, seed ${seed}`))
}

/** How many calls were answered from the recording of the base's run, and what the others took. */
function countReplay(events: readonly RunEvent[], mode: CellOptions['replay']): NonNullable<Cell['replay']> {
  const calls = events.flatMap(({ type, data }) => (type === 'model.completed' ? data : []))
  const made = mode === 'strict' ? [] : calls.filter(({ recorded }) => recorded !== true)
  const costs = made.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    hits: calls.length - made.length,
    misses: made.length,
    paidTokens: made.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0),
    paidUsd: costs.length === made.length ? costs.reduce((sum, cost) => sum + cost, 0) : null,
  }
}

/** A judge that cannot be reached says nothing about the answer: the cell is made again. */
async function scoreOf(
  scorer: Scorer,
  answered: Parameters<Scorer['score']>[0],
  where: string,
): Promise<Score & Partial<Cell>> {
  try {
    return await scorer.score(answered)
  } catch (thrown) {
    if (thrown instanceof RunAgain && !isHopeless(thrown.code)) {
      const { code, message, used } = thrown
      return { score: 0, outside: true, error: { code, message }, judge: used }
    }
    const { code, message } = toSvcError(thrown)
    const failed = `the scorer fails on ${where}: ${message}. The run is kept and is scored by the next call`
    throw createError(code === 'internal_error' ? 'config_invalid' : code, failed)
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
