import { signal } from '@preact/signals'
import { type Draft, EMPTY_DRAFT } from '../../runs/new-run/draft.ts'
import type { Attachment } from './attachments.ts'

/** What is written and not sent, of one conversation. */
interface ChatDraft {
  text: string
  /** Files of the workspace, by name. */
  files: readonly string[]
  /** What was pasted, dropped or chosen: kept until the page is left. */
  attachments: readonly Attachment[]
}

/** What runs of the chat are asked with beside their task; a text of a form, since a person may write anything. */
export type ChatOptions = Pick<Draft, 'mode' | 'model' | 'topology' | 'tokenBudget' | 'maxCostUsd' | 'riskLevel'>

export const EMPTY: ChatDraft = { text: '', files: [], attachments: [] }

const { mode, model, topology, tokenBudget, maxCostUsd, riskLevel } = EMPTY_DRAFT
export const DEFAULTS: ChatOptions = { mode, model, topology, tokenBudget, maxCostUsd, riskLevel }

const DRAFTS_KEY = 'svc.chat.drafts'
const OPTIONS_KEY = 'svc.chat.options'
/** Of so many conversations what was not sent is kept over a reload of the tab. */
const MOST_KEPT = 20

/** By conversation; the one under the empty id is that of a new one. */
const drafts = signal<Readonly<Record<string, ChatDraft>>>(readDrafts())
export const options = signal<ChatOptions>({ ...DEFAULTS, ...readTexts(OPTIONS_KEY, Object.keys(DEFAULTS)) })

export const draftOf = (id: string): ChatDraft =>
  (Object.hasOwn(drafts.value, id) ? drafts.value[id] : undefined) ?? EMPTY

export function changeDraft(id: string, changes: Partial<ChatDraft>): void {
  const { [id]: before = EMPTY, ...others } = drafts.value
  const after = { ...before, ...changes }
  const isEmpty = after.text === '' && after.files.length === 0 && after.attachments.length === 0
  drafts.value = isEmpty ? others : { ...others, [id]: after }
  const kept = Object.entries(drafts.value).slice(-MOST_KEPT)
  keep(DRAFTS_KEY, Object.fromEntries(kept.map(([of, { text, files }]) => [of, { text, files }])))
}

export function changeOptions(changes: Partial<ChatOptions>): void {
  options.value = { ...options.value, ...changes }
  keep(OPTIONS_KEY, options.value)
}

/** What a browser does not keep is gone with the page, and nothing else happens. */
function keep(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value))
  } catch {}
}

function readStored(key: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? '{}')
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function readTexts(key: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readStored(key)).filter(
      (entry): entry is [string, string] => names.includes(entry[0]) && typeof entry[1] === 'string',
    ),
  )
}

function readDrafts(): Record<string, ChatDraft> {
  const found = Object.entries(readStored(DRAFTS_KEY)).map(([id, kept]): [string, ChatDraft] => {
    const { text, files } = (kept ?? {}) as Record<string, unknown>
    const names = Array.isArray(files) ? files.filter((name) => typeof name === 'string') : []
    return [id, { ...EMPTY, text: typeof text === 'string' ? text : '', files: names }]
  })
  return Object.fromEntries(found)
}
