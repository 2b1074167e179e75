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
  maxCostUsd: string
  model: string
  riskLevel: string
  consensus: '' | 'yes' | 'no'
  /** With commas between them. */
  tags: string
  files: readonly string[]
}
export type Field = keyof Draft

export const EMPTY_DRAFT: Draft = {
  task: '',
  mode: 'execute',
  topology: 'AUTO',
  tokenBudget: '',
  maxCostUsd: '',
  model: '',
  riskLevel: '',
  consensus: '',
  tags: '',
  files: [],
}

/** What is wrong, by field; `other` is what concerns none of them. */
export type Problems = Partial<Record<Field | 'other', string>>

/** The run that a draft asks for. A person is there to approve: calls that ask wait. */
export function toRunCreate(draft: Draft): RunCreate {
  const { task, mode, topology, tokenBudget, maxCostUsd, model, riskLevel, consensus, tags, files } = draft
  const labels = splitWords(tags)
  const most = toNumber(maxCostUsd)
  const tokens = toNumber(tokenBudget)
  const risk = RISKS.find((level) => level === riskLevel)
  return {
    task: task.trim(),
    mode: MODES.find((word) => word === mode) ?? 'execute',
    topology,
    approval: 'wait',
    ...(mode === 'read' && { readOnly: true }),
    ...(tokens !== undefined && { tokenBudget: tokens }),
    ...(most !== undefined && { budget: { maxCostUsd: most } }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(risk !== undefined && { riskLevel: risk }),
    ...(consensus !== '' && { consensus: consensus === 'yes' }),
    ...(labels.length > 0 && { tags: labels }),
    ...(files.length > 0 && { files: [...files] }),
  }
}

/** What can be seen to be wrong before the server is asked. */
export function findProblems({ task, tokenBudget, maxCostUsd }: Draft): Problems {
  const problems: Problems = {}
  if (task.trim() === '') problems.task = 'says nothing yet: write what is to be done'
  if (tokenBudget.trim() !== '' && !/^[1-9]\d{0,11}$/.test(tokenBudget.trim()))
    problems.tokenBudget = 'must be a whole number of tokens above 0'
  if (maxCostUsd.trim() !== '' && !((toNumber(maxCostUsd) ?? 0) > 0)) problems.maxCostUsd = 'must be an amount above 0'
  return problems
}

/** The field that a path of the server is about. */
function fieldOf(path: string): Field | undefined {
  const name = path.split('/')[1] ?? ''
  if (name === 'budget') return 'maxCostUsd'
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
