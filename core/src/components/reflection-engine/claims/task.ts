import { ACTIONS } from './deeds.ts'
import { toPath } from './paths.ts'

const LEAD: ReadonlySet<string> = new Set(
  'please also then and now just kindly can could would will you i we want need would like to help me us let go ahead if not so after that afterwards finally first next'.split(
    ' ',
  ),
)
const DRAFT =
  /^(?:translat|rewrite|rephrase|proofread|paraphrase|polish|compose|draft|invent|imagine|role-?play|pretend|turn (?:this|the following)|make this more|summari[sz]e (?:this|the following))/i
const WRITES = /^(?:write|create|generate|make|give|fill|prepare|tell|come up)\b/i
const TEXT =
  /\b(?:poem|story|stories|haiku|limerick|song|lyrics|joke|letter|e-?mail|mail|message|post|tweet|essay|speech|diary|entry|dialogue|monologue|announcement|update|reminder|changelog|release notes|description|slogan|title|names?|bio|paragraph|article|toast|review|invitation|apology|advert|press release|bullet points)\b/i

/** What a task wants besides an answer. */
export interface Wishes {
  /** Something is to be done, not only said. */
  action: boolean
  /** A text is to be written that may speak for anybody about anything. */
  draft: boolean
}

/** Reads a task clause by clause. */
export function toWishes(task: string): Wishes {
  const text = task.slice(0, 4_000)
  const clauses = text.split(/[.;:!?\n]+|,\s|\sand\s|\sthen\s/)
  let action = false
  let names = 0
  for (const clause of clauses) {
    const words = clause.trim().split(/\s+/)
    const first = words.findIndex((word) => !LEAD.has(bare(word)))
    const verb = first === -1 ? '' : bare(words[first] ?? '')
    if (ACTIONS.has(verb)) {
      names++
      action = true
    }
  }
  const draft =
    DRAFT.test(text.trim()) || (WRITES.test(text.trim().replace(/^please /i, '')) && TEXT.test(clauses[0] ?? text))
  // A draft that is also to be saved or sent is work.
  const kept = draft && (names > 1 || text.split(/\s+/).some((word) => toPath(word) !== undefined))
  return { action, draft: draft && !kept }
}

const bare = (word: string): string => word.toLowerCase().replace(/[^a-z-]/g, '')
