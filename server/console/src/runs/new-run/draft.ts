import { type EventOf, findFileTexts } from '@svc/core/client'
import type { RiskLevel, RunCreate, SvcError } from '@svc/sdk/remote'
import { splitWords } from '../../parts/format.ts'
import { MODES } from '../filters.ts'

export const TOPOLOGY_CHOICES = [
  'AUTO',
  'SINGLE',
  'SEQUENTIAL',
  'PARALLEL',
  'CENTRALIZED',
  'DECENTRALIZED',
  'HYBRID',
] as const
export const RISKS = ['low', 'medium', 'high', 'critical'] as const satisfies readonly RiskLevel[]

/** A new run as it is entered: texts, since a person may write anything. */
export interface Draft {
  task: string
  mode: string
  topology: string
  tokenBudget: string
  maxTokens: string
  maxCostUsd: string
  model: string
  /** Ids of profiles, with commas between them. */
  agents: string
  riskLevel: string
  consensus: '' | 'yes' | 'no'
  /** Ids of tools, with commas between them. */
  allowedTools: string
  deniedTools: string
  /** With commas between them. */
  tags: string
  /** Id of the conversation that it goes on with; empty: none. */
  threadId: string
  files: readonly string[]
  /** Options of an earlier run that the form has no field for. */
  others: Others
  /** The run that is run again. */
  earlierRunId: string
}
export type Others = Omit<RunCreate, 'task' | 'mode' | 'topology' | 'model' | 'files' | 'tags' | 'threadId'>
export type Field = keyof Draft

export const EMPTY_DRAFT: Draft = {
  task: '',
  mode: 'execute',
  topology: 'AUTO',
  tokenBudget: '',
  maxTokens: '',
  maxCostUsd: '',
  model: '',
  agents: '',
  riskLevel: '',
  consensus: '',
  allowedTools: '',
  deniedTools: '',
  tags: '',
  threadId: '',
  files: [],
  others: {},
  earlierRunId: '',
}

/** What is wrong, by field; `other` is what concerns none of them. */
export type Problems = Partial<Record<Field | 'other', string>>

/** The run that a draft asks for. A person is there to approve: calls that ask wait. */
export function toRunCreate(draft: Draft): RunCreate {
  const { task, mode, topology, model, riskLevel, consensus, threadId, files, others, earlierRunId } = draft
  const [labels, agents, allow, deny] = [draft.tags, draft.agents, draft.allowedTools, draft.deniedTools].map(
    splitWords,
  )
  const [maxTokens, maxCostUsd] = [toNumber(draft.maxTokens), toNumber(draft.maxCostUsd)]
  const tokens = toNumber(draft.tokenBudget)
  const risk = RISKS.find((level) => level === riskLevel)
  const budget = {
    ...others.budget,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
  }
  const tools = { ...(allow?.length && { allow }), ...(deny?.length && { deny }) }
  return {
    ...others,
    task: task.trim(),
    mode: MODES.find((word) => word === mode) ?? 'execute',
    topology,
    approval: 'wait',
    ...(mode === 'read' && { readOnly: true }),
    ...(tokens !== undefined && { tokenBudget: tokens }),
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(agents?.length && { agents }),
    ...(risk !== undefined && { riskLevel: risk }),
    ...(consensus !== '' && { consensus: consensus === 'yes' }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...(labels?.length && { tags: labels }),
    ...(threadId.trim() !== '' && { threadId: threadId.trim() }),
    ...(files.length > 0 && { files: [...files] }),
    ...(earlierRunId !== '' && { metadata: { ...others.metadata, [EARLIER]: earlierRunId } }),
  }
}

/** Under which name a run says in its metadata which one it was asked for again from. */
const EARLIER = 'earlierRunId'

/** The run that another one is to be compared with: the one that it was asked for again from. */
export function earlierOf(options: Pick<RunCreate, 'metadata'> = {}): string | undefined {
  const id = options.metadata?.[EARLIER]
  return typeof id === 'string' && /^run_\w+$/.test(id) ? id : undefined
}

/** A draft with all that an earlier run was asked for. */
export function toDraft(id: string, { task, mode, options }: EventOf<'run.created'>['data'], threadId = ''): Draft {
  const { topology, tokenBudget, budget, model, agents, riskLevel, consensus, tools, tags, files, context, ...rest } =
    options
  const { readOnly, approval: _asks, metadata, ...others } = rest
  const { maxTokens, maxCostUsd, ...limits } = budget ?? {}
  const { [EARLIER]: _before, ...more } = metadata ?? {}
  const own = contextOf(context, files)
  const ids = agents?.filter((agent) => typeof agent === 'string') ?? []
  const areIds = ids.length === (agents?.length ?? 0)
  return {
    ...EMPTY_DRAFT,
    task,
    mode: readOnly === true ? 'read' : mode,
    topology: topology ?? 'AUTO',
    tokenBudget: toEntered(tokenBudget),
    maxTokens: toEntered(maxTokens),
    maxCostUsd: toEntered(maxCostUsd),
    model: model ?? '',
    agents: areIds ? ids.join(', ') : '',
    riskLevel: riskLevel ?? '',
    consensus: consensus === undefined ? '' : consensus ? 'yes' : 'no',
    allowedTools: tools?.allow?.join(', ') ?? '',
    deniedTools: tools?.deny?.join(', ') ?? '',
    tags: tags?.join(', ') ?? '',
    threadId,
    files: files ?? [],
    others: {
      ...others,
      ...(!areIds && agents !== undefined && { agents }),
      ...(own !== undefined && { context: own }),
      ...(Object.keys(limits).length > 0 && { budget: limits }),
      ...(Object.keys(more).length > 0 && { metadata: more }),
    },
    earlierRunId: id,
  }
}

const toEntered = (value: number | undefined): string => (value === undefined ? '' : String(value))

/** The material that came with a task, without the files behind it: those are read anew. */
function contextOf(context: RunCreate['context'], files: readonly string[] = []): RunCreate['context'] {
  if (typeof context !== 'string' || files.length === 0) return context
  return context.slice(0, findFileTexts(context)[0]?.at) || undefined
}

/** What can be seen to be wrong before the server is asked. */
export function findProblems({ task, tokenBudget, maxTokens, maxCostUsd }: Draft): Problems {
  const problems: Problems = {}
  if (task.trim() === '') problems.task = 'says nothing yet: write what is to be done'
  if (!isWhole(tokenBudget)) problems.tokenBudget = 'must be a whole number of tokens above 0'
  if (!isWhole(maxTokens)) problems.maxTokens = 'must be a whole number of tokens above 0'
  if (maxCostUsd.trim() !== '' && !((toNumber(maxCostUsd) ?? 0) > 0)) problems.maxCostUsd = 'must be an amount above 0'
  return problems
}

const isWhole = (text: string): boolean => text.trim() === '' || /^[1-9]\d{0,11}$/.test(text.trim())

/** The field that a path of the server is about. */
function fieldOf(path: string): Field | undefined {
  const [, name = '', part] = path.split('/')
  if (name === 'budget') return part === 'maxTokens' ? 'maxTokens' : 'maxCostUsd'
  if (name === 'tools') return part === 'deny' ? 'deniedTools' : 'allowedTools'
  return Object.hasOwn(EMPTY_DRAFT, name) ? (name as Field) : undefined
}

/** Codes that are about the model, wherever it was chosen. */
const OF_MODEL: ReadonlySet<string> = new Set(['model_not_found', 'unknown_provider', 'no_provider'])

/** What the server refused, beside the fields that it names. */
export function toProblems(error: Pick<SvcError, 'code' | 'message' | 'errors'>, draft: Draft): Problems {
  const problems: Problems = {}
  for (const { path, message } of error.errors ?? []) {
    const field = fieldOf(path)
    // Of several files it has to be said which.
    const name = field === 'files' ? draft.files[Number(path.split('/')[2])] : undefined
    if (field !== undefined) problems[field] ??= name === undefined ? message : `${name}: ${message}`
    else problems.other ??= `${path} ${message}`
  }
  if (Object.keys(problems).length > 0) return problems
  return OF_MODEL.has(error.code) ? { model: error.message } : { other: error.message }
}

const toNumber = (text: string): number | undefined => {
  const value = Number(text.trim().replace(/^\$/, ''))
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}
