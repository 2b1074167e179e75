import type { StepRow } from '../../../contracts/log/journal.ts'
import type { AgentProfile } from '../../../contracts/plugin/agent-profile.ts'
import type { Registry } from '../../../contracts/plugin/plugin.ts'
import type { RunCreate, RunOptions } from '../../../contracts/run/run.ts'
import { RunCreate as RunCreateSchema } from '../../../contracts/run/run.ts'
import type { ThreadTurns } from '../../../contracts/run/thread.ts'
import type { Task } from '../../../contracts/stages/task.ts'
import type { RunLimits } from '../../../contracts/store/run-row.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import type { FolderNotes } from '../../../contracts/tool/folder-note.ts'
import type { Tool, ToolInfo } from '../../../contracts/tool/tool.ts'
import type { Warning } from '../../../contracts/warning.ts'
import { isTopology, toTopology } from '../../../contracts/words.ts'
import {
  ConfigError,
  ERROR_CODES,
  type FieldError,
  RunError,
  SvcError,
  toSvcError,
  ValidationError,
} from '../../../errors.ts'
import { describeUnknown } from '../../../plan/topology-names.ts'
import { digest } from '../../../support/ids.ts'
import { matchesGlob } from '../../../support/settings/matches-glob.ts'
import { describeErrors } from '../../../text/describe-errors.ts'
import { estimateTokens } from '../../../text/estimate-tokens.ts'
import { bytesOf, estimateMedia, findMediaFault, mediaOf, toFullText } from '../../../text/media/media.ts'
import { nearest } from '../../../text/nearest.ts'
import { parse } from '../../../validate.ts'
import { isPrice } from '../../budget/cost.ts'
import { Ledger } from '../../budget/ledger.ts'
import type { ResolvedModel } from '../../calls/model/model-catalog.ts'
import { Policy } from '../../calls/policy/policy.ts'
import { clientToolsOf, findClientToolFaults } from '../../calls/tools/client-tools.ts'
import { broughtOf, mayBeBrought, prepareSources, readBrought, withBrought } from '../../calls/tools/tool-sources.ts'
import type { Environment } from '../../environment.ts'
import { NO_NOTES, recordedNotes } from '../../journal/folder-notes.ts'
import { findTurnFaults, toMessages } from '../../journal/given-turns.ts'
import { fitMedia, fitTurns, NO_TURNS, readTurns, turnTokens } from '../../journal/thread-turns.ts'
import { assertOutputSchema } from '../../json-schema.ts'
import { toJsonSchema } from '../../standard-schema.ts'
import { budgetOf, leastOf, limitsOf } from './run-limits.ts'
import { findThread, messagesOfThread } from './threads.ts'

/** A run that can be worked on: everything that its request names was found. */
export interface PreparedRun {
  row: RunRow
  options: RunOptions
  /** Undefined where there is a `failure`. */
  model: ResolvedModel | undefined
  /** For small work; undefined where the config names none. */
  small: ResolvedModel | undefined
  /** The profiles that the run names, in order; else all. */
  agents: readonly AgentProfile[]
  tools: readonly ToolInfo[]
  /** Those of who asks for it, by id. */
  clientTools: ReadonlyMap<string, Tool>
  /** Those of `tools` that are to be recorded; undefined where they are, or there are none. */
  brought: readonly ToolInfo[] | undefined
  /** What was found when its parts were looked for. */
  warnings: readonly Warning[]
  ledger: Ledger
  policy: Policy
  task: Task
  /** What of its thread it is sent. */
  thread: ThreadTurns
  /** What the `AGENTS.md` files of its folder say. */
  notes: FolderNotes
  /** What untrusted content the run rests on before it begins, in words. */
  taint: readonly string[]
  limits: RunLimits
  /** Why it cannot be worked on anywhere: it is taken up to fail. */
  failure: SvcError | undefined
}

/** What of a run's needs can be missing, or broken. */
type Parts = Pick<
  PreparedRun,
  'model' | 'small' | 'agents' | 'tools' | 'brought' | 'warnings' | 'thread' | 'notes' | 'failure'
>

/**
 * Says what is wrong with a request before there is a run.
 *
 * @throws ValidationError, NotFoundError (agent, thread, model), ConfigError (provider), UsageError `budget_too_small`
 */
export async function checkRequest(env: Environment, asked: RunCreate): Promise<RunCreate> {
  checkFields(asked, env)
  const { smallModel } = env.config
  const isSmall = asked.summarizes === true && asked.model === undefined && smallModel !== undefined
  const create = isSmall ? { ...asked, model: smallModel } : asked
  checkTokens(create, env)
  const model = await env.catalog.resolve(create.model ?? '')
  const small = await resolveSmall(env)
  const agents = create.agents === undefined ? [] : await env.agents.resolve(create.agents)
  checkAgentTools(agents, env)
  if (budgetOf(env, create).maxCostUsd !== undefined) {
    await checkPrices(
      env,
      [model, ...(small === undefined ? [] : [small])],
      [
        ...(env.config.fallback ?? []),
        ...agents.flatMap((agent) => [...(agent.model === undefined ? [] : [agent.model]), ...agent.fallbackModels]),
      ],
    )
  }
  if (create.threadId !== undefined) await findThread(env, create.threadId)
  if (create.summarizes === true) await checkSummary(env, create, model)
  return create
}

/** @throws ConfigError `no_provider` where the model only quotes; ValidationError where there is nothing to sum up */
async function checkSummary(env: Environment, { threadId, mode }: RunCreate, model: ResolvedModel): Promise<void> {
  if (threadId === undefined) throw invalid('/summarizes', 'needs a threadId: it is a conversation that is summed up')
  if (mode !== undefined && mode !== 'execute') throw invalid('/summarizes', 'needs a run that is executed')
  if (model.provider.deterministic === true)
    throw new ConfigError(
      'no_provider',
      `a conversation is summed up by a model that writes, and there is none: ${model.provider.id} only quotes. Set a model up (svc doctor), or name one`,
    )
  if ((await messagesOfThread(env, threadId)).length === 0)
    throw invalid('/summarizes', 'there is nothing to sum up: nothing was said in this conversation')
}

/** @throws ValidationError with all that is wrong with a request by itself, in one */
function checkFields(create: RunCreate, env: Environment): void {
  const faults: FieldError[] = []
  const take = (check: () => void): void => {
    try {
      check()
    } catch (thrown) {
      if (!(thrown instanceof ValidationError) || thrown.errors === undefined) throw thrown
      faults.push(...thrown.errors.filter(({ path }) => !faults.some((known) => known.path === path)))
    }
  }
  take(() => checkTask(create))
  take(() => assertOutputSchema('run', create.outputSchema))
  take(() => parse(RunCreateSchema, create, 'run'))
  // The others read fields that are what they should be.
  const isSound = ([name]: [string, unknown]): boolean => !faults.some(({ path }) => path.split('/')[1] === name)
  const sound = Object.fromEntries(Object.entries(create).filter(isSound)) as RunCreate
  take(() => checkTopologies(sound, env.topologies.ids()))
  take(() => checkTools(sound.tools, env))
  take(() => checkContext(sound.context))
  faults.push(...findTurnFaults(sound), ...findClientToolFaults(sound.clientTools))
  if (faults.length > 0) throw refused(faults)
}

/** Dollars are limited where every model that may be asked has a price: the run's, those of its agents, the fallbacks. */
async function checkPrices(env: Environment, first: readonly ResolvedModel[], names: readonly string[]): Promise<void> {
  const others = await Promise.all([...new Set(names)].map((name) => env.catalog.resolve(name)))
  for (const { provider, model, info } of [...first, ...others]) {
    if (isPrice(info?.price)) continue
    throw new ValidationError(
      'validation_failed',
      `budget.maxCostUsd: no price is known for ${provider.id}/${model}: set models.${JSON.stringify(model)}.price of this provider in the config, or leave the limit out`,
      { errors: [{ path: '/budget/maxCostUsd', message: 'needs models with a price' }] },
    )
  }
}

/**
 * Finds what a run needs. Called when it starts, so that it sees what earlier runs of its thread have answered.
 *
 * @param steps what is recorded of it, and of what it goes on from
 * @throws NotFoundError, ConfigError, ValidationError where what was there when the run was made is not here: another process
 *   may have it; CapacityError where the store cannot be reached
 */
export async function prepareRun(env: Environment, row: RunRow, steps: readonly StepRow[]): Promise<PreparedRun> {
  const { create } = row
  const settled = row.limits ?? limitsOf(env, create)
  const limits = row.bounded === true ? leastOf(settled, limitsOf(env, { task: create.task })) : settled
  let parts: Parts
  try {
    parts = await findParts(env, row, steps, limits)
  } catch (thrown) {
    // What is to end needs nothing to end.
    if (!(await isAskedToEnd(env, row))) throw thrown
    parts = toFailed(thrown)
  }
  const { thread, notes, model, small, agents, tools, brought, warnings, failure } = parts
  const { tokenBudget, maxTokens } = limits
  const clientTools = clientToolsOf(create.clientTools)
  // A run that was at work goes on as it was planned, within what is left of its limits.
  const { tokenBudget: planned, budget } = row.limits ?? limits
  const options = {
    ...optionsOf(create),
    // The stages see the limits that hold: those of the config and the managed file too.
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(row.limits && { tokenBudget: planned }),
    // What somebody else asked would be remembered as a person's word.
    ...(row.tainted && { memory: false }),
  }
  return {
    row,
    options,
    model,
    small,
    agents,
    tools: [...tools, ...[...clientTools.values()].map((tool) => infoOf(tool, tool.id))],
    clientTools,
    brought,
    warnings,
    ledger: new Ledger({
      softTokens: Math.min(tokenBudget, maxTokens),
      hardTokens: maxTokens,
      maxCostUsd: limits.budget.maxCostUsd,
      maxCalls: limits.budget.maxSteps,
    }),
    policy: new Policy({
      managed: env.managed?.policy,
      folder: env.tightening?.policy,
      config: env.config.policy,
      options: toolOptionsOf(create),
      workspace: env.workspace,
      readOnly: row.mode === 'plan' || create.readOnly === true,
    }),
    task: taskOf(row, create, tools),
    thread,
    notes,
    taint: [
      ...(row.tainted === true ? ['a run that came in a file'] : []),
      ...(options.untrusted ?? []),
      ...(thread.messages.some(({ tainted }) => tainted === true) ? ['an earlier answer of the thread'] : []),
    ],
    limits,
    failure,
  }
}

/** @throws where another process, or a later try, may do better */
async function findParts(env: Environment, row: RunRow, steps: readonly StepRow[], limits: RunLimits): Promise<Parts> {
  const { create } = row
  checkTools(create.tools, env)
  checkTopologies(create, env.topologies.ids())
  try {
    const model = await env.catalog.resolve(create.model ?? '')
    const small = await resolveSmall(env)
    const agents = await ofStore(env.agents.resolve(create.agents, Date.parse(row.createdAt)))
    if (create.agents !== undefined) checkAgentTools(agents, env)
    const { tools, brought, warnings } = await offeredTools(env, row, steps, agents.length > 0)
    const thread = await ofStore(turnsOf(env, row, steps, turnTokens(limits.tokenBudget, model.info?.context, create)))
    const notes = notesOf(env, row, steps, model.provider.deterministic === true)
    return { model, small, agents, tools, brought, warnings, thread, notes, failure: undefined }
  } catch (thrown) {
    if (isOfThePlace(thrown)) throw thrown
    return toFailed(thrown)
  }
}

/** What its folder says to its agents: what is recorded, as it was when it began; else what it says now. */
function notesOf(env: Environment, { tainted }: RunRow, steps: readonly StepRow[], isDeaf: boolean): FolderNotes {
  const isReplayed = env.cassette?.isStrict === true
  // What a stranger's file says was trusted elsewhere is no instruction here.
  const recorded = tainted === true && !isReplayed ? undefined : recordedNotes(steps)
  if (recorded !== undefined || isReplayed || isDeaf) return recorded ?? NO_NOTES
  return env.notes?.above() ?? NO_NOTES
}

/** @throws ConfigError, NotFoundError that name the field */
export async function resolveSmall({ catalog, config }: Environment): Promise<ResolvedModel | undefined> {
  const { smallModel } = config
  if (smallModel === undefined) return undefined
  try {
    return await catalog.resolve(smallModel)
  } catch (thrown) {
    const { code, message } = toSvcError(thrown)
    throw new ConfigError(code, `smallModel is "${smallModel}": ${message}`, { cause: thrown })
  }
}

/** What of its thread a run is sent: what is recorded, as it was when it began; else what fits of what was said by now. */
async function turnsOf(
  env: Environment,
  row: RunRow,
  steps: readonly StepRow[],
  mostTokens: number,
): Promise<ThreadTurns> {
  const { threadId, create } = row
  if (threadId === undefined && create.turns === undefined) return NO_TURNS
  const recorded = await readTurns(env.store, steps)
  if (recorded !== undefined || env.cassette?.isStrict === true) return recorded ?? NO_TURNS
  const own = mediaOf(create.context)
  const said = threadId === undefined ? toMessages(create, row.createdAt) : await messagesOfThread(env, threadId, row)
  return fitMedia(fitTurns(said, mostTokens), {
    count: MOST_MEDIA - own.length,
    bytes: MOST_MEDIA_BYTES - bytesOf(own),
  })
}

/** Whether a run is to end, as soon as somebody takes it up. */
export const isAskedToEnd = async ({ store }: Environment, { id, status }: RunRow): Promise<boolean> =>
  status === 'cancelling' || (await store.commands(id)).some(({ kind }) => kind === 'cancel')

/** What was read from the store, whose failures are no fault of the run. @throws `store_unavailable` for what has no code */
async function ofStore<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (thrown) {
    throw toSvcError(thrown, 'store_unavailable')
  }
}

/** Errors that say that something is not here, or not now: no fault of the run. */
const OF_THE_PLACE: readonly string[] = ['notFound', 'config', 'capacity']

/** Conversations are in the store of the runs: one that is not here was removed, and no process has it. */
const isOfThePlace = (thrown: unknown): boolean =>
  SvcError.isInstance(thrown) &&
  thrown.code !== 'thread_not_found' &&
  OF_THE_PLACE.includes(ERROR_CODES[thrown.code].kind)

/** The parts of a run that fails with what was thrown. */
function toFailed(thrown: unknown): Parts {
  const message = `the run could not be prepared: ${toSvcError(thrown).message}`
  const failure = SvcError.isInstance(thrown) ? thrown : new RunError('run_failed', message, { cause: thrown })
  const nothing = { model: undefined, small: undefined, agents: [], tools: [], brought: undefined, warnings: [] }
  return { ...nothing, thread: NO_TURNS, notes: NO_NOTES, failure }
}

/** What random numbers and ids of a run are derived from. */
export const seedOf = ({ row }: PreparedRun): number =>
  row.create.seed ?? Number.parseInt(digest(row.id).slice(0, 8), 16)

/** The task as the stages see it. */
function taskOf({ id }: RunRow, { task, riskLevel, context, metadata }: RunCreate, tools: readonly ToolInfo[]): Task {
  const { domain, contextTokens, tools: named } = (metadata?.[TASK_METADATA] ?? {}) as Partial<Task>
  const size = contextTokens ?? (context === undefined ? undefined : estimateContext(context))
  return {
    id,
    description: task,
    ...(riskLevel && { riskLevel }),
    tools: named ?? tools.map((tool) => tool.id),
    ...(domain === undefined ? {} : { domain }),
    ...(size === undefined ? {} : { contextTokens: size }),
  }
}

const estimateContext = (context: NonNullable<RunOptions['context']>): number =>
  estimateTokens(toFullText(context)) + mediaOf(context).reduce((sum, part) => sum + estimateMedia(part), 0)

/** Where `runtime.analyze` puts the parts of a task that a run has no option for. */
export const TASK_METADATA = 'svc.task'

/** The tools of a run: what a source had when it began, it has for this run to its end, and for what goes on from it. */
async function offeredTools(
  env: Environment,
  row: RunRow,
  steps: readonly StepRow[],
  hasAgents: boolean,
): Promise<Pick<PreparedRun, 'tools' | 'brought' | 'warnings'>> {
  const options = toolOptionsOf(row.create)
  const recorded = await ofStore(readBrought(env.store, steps))
  if (recorded !== undefined) {
    const tools = withBrought(env, toolsOf(env.tools, options, hasAgents), recorded)
    // A run that goes on from another keeps them for itself.
    return { tools, brought: row.startedAt === undefined ? recorded : undefined, warnings: [] }
  }
  const isRecorded = env.cassette?.isStrict === true
  const isToEnd = (): Promise<boolean> => isAskedToEnd(env, row)
  const warnings = isRecorded ? [] : await prepareSources(env, options.tools ?? {}, isToEnd)
  const tools = toolsOf(env.tools, options, hasAgents)
  return { tools, brought: broughtOf(env, tools), warnings }
}

function toolsOf(
  registry: Registry<Tool>,
  { tools: { allow, deny } = {}, approval }: RunOptions,
  hasAgents: boolean,
): ToolInfo[] {
  return registry.ids().flatMap((id) => {
    const tool = registry.get(id)
    if (tool === undefined || (tool.needsPerson === true && approval !== 'wait')) return []
    if (tool.needsAgents === true && !hasAgents && allow?.includes(id) !== true) return []
    if (deny?.some((pattern) => matchesGlob(pattern, id))) return []
    if (allow !== undefined && !allow.some((pattern) => matchesGlob(pattern, id))) return []
    return [infoOf(tool, id)]
  })
}

const infos = new WeakMap<Tool, ToolInfo>()

function infoOf(tool: Tool, id: string): ToolInfo {
  let info = infos.get(tool)
  if (info === undefined) {
    info = { id, description: tool.description, parameters: toJsonSchema(tool.parameters), risk: tool.risk }
    infos.set(tool, info)
  }
  return info
}

/** What a run is asked for, without what it is asked about. */
export function optionsOf(create: RunCreate): RunOptions {
  const { task: _task, mode: _mode, threadId: _threadId, plan: _plan, onDisconnect: _onDisconnect, ...rest } = create
  const { turns: _turns, clientTools: _clientTools, ...options } = rest
  return options
}

/** The options of a run for its tools: one without memory has none for it either. */
const toolOptionsOf = (create: RunCreate): RunOptions => {
  const options = optionsOf(create)
  return create.memory === false ? { ...options, tools: withoutMemory(options.tools) } : options
}

const withoutMemory = (tools: RunOptions['tools']): NonNullable<RunOptions['tools']> => ({
  ...tools,
  deny: [...(tools?.deny ?? []), 'recall', 'remember'],
})

/** Options as the log has them: images and files of the context are in the run's row, and here in words. */
export const toLogged = (options: RunOptions): RunOptions =>
  mediaOf(options.context).length === 0 ? options : { ...options, context: toFullText(options.context ?? '') }

const invalid = (path: string, message: string): ValidationError => refused([{ path, message }])

const refused = (errors: FieldError[]): ValidationError =>
  new ValidationError('validation_failed', `run: ${describeErrors(errors)}`, { errors })

function checkTask({ task }: RunCreate): void {
  if (typeof task !== 'string') throw invalid('/task', 'must be a text')
  if (task.trim() === '') throw invalid('/task', 'must not be empty: say in plain language what is to be done')
  if (task.length > 200_000) throw invalid('/task', `must have at most 200000 characters, this has ${task.length}`)
}

/** A plan that is given says itself how its agents work together. */
function checkTopologies({ topology = 'AUTO', plan }: RunCreate, own: readonly string[]): void {
  const asked = toTopology(topology, own)
  if (asked === undefined) throw invalid('/topology', describeUnknown(topology, own, 'AUTO'))
  if (plan === undefined) return
  if (!isTopology(plan.topology) && !own.includes(plan.topology))
    throw invalid('/plan/topology', describeUnknown(plan.topology, own))
  if (asked !== 'AUTO' && asked !== plan.topology)
    throw invalid('/topology', `is ${asked}, and the plan is ${plan.topology}: leave one of them out`)
}

/** What another plugin finds enough only the run shows; an analysis spends nothing, and a plan has its shares. */
function checkTokens({ mode, plan, tokenBudget }: RunCreate, { checkBudget, hooks }: Environment): void {
  if (tokenBudget === undefined || mode === 'analyze' || plan !== undefined) return
  if (hooks.pluginsOf('allocate').length === 1) checkBudget?.(tokenBudget)
}

/** Images and files of one run, and their bytes together: what one request can hold. */
const MOST_MEDIA = 20
const MOST_MEDIA_BYTES = 20_971_520

export function checkContext(context: RunOptions['context']): void {
  const media = mediaOf(context)
  if (media.length > MOST_MEDIA)
    throw invalid('/context', `holds ${media.length} images and files; at most ${MOST_MEDIA} can be handed over`)
  const bytes = bytesOf(media)
  if (bytes > MOST_MEDIA_BYTES)
    throw invalid('/context', `holds images and files of ${bytes} bytes; they may have ${MOST_MEDIA_BYTES} together`)
  for (const part of media) {
    const fault = findMediaFault(part)
    const place = typeof context === 'object' ? context.indexOf(part) : 0
    if (fault !== undefined) throw invalid(`/context/${place}`, `${part.name ?? part.type}: ${fault}`)
  }
}

function checkTools(tools: RunOptions['tools'], env: Pick<Environment, 'tools' | 'toolSources' | 'unusable'>): void {
  if (tools === undefined) return
  const ids = env.tools.ids()
  for (const list of ['allow', 'deny'] as const) {
    for (const pattern of tools[list] ?? []) {
      if (ids.some((id) => matchesGlob(pattern, id)) || mayBeBrought(env, pattern)) continue
      const broken = env.unusable.find(({ kind, id }) => kind === 'tool' && id === pattern)
      if (broken !== undefined && list === 'deny') continue
      if (broken !== undefined)
        throw invalid(`/tools/${list}`, `names the tool "${pattern}", which cannot be used: ${broken.error.message}`)
      const guess = nearest(pattern, ids)
      throw invalid(
        `/tools/${list}`,
        `names no tool: "${pattern}"${guess === undefined ? '' : ` (did you mean "${guess}"?)`}. Known: ${ids.join(', ')}`,
      )
    }
  }
}

/** A tool that a run's agent names by its id is needed: a pattern takes what is there. */
function checkAgentTools(agents: readonly AgentProfile[], { unusable }: Pick<Environment, 'unusable'>): void {
  for (const { id, tools } of agents) {
    const broken = unusable.find((part) => part.kind === 'tool' && tools.includes(part.id))
    if (broken === undefined) continue
    throw invalid(
      '/agents',
      `names the agent "${id}", whose tool "${broken.id}" cannot be used: ${broken.error.message}`,
    )
  }
}
