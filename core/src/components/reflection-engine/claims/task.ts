import { toPath } from '../../../text/calls/paths.ts'
import { ACTIONS, type Deed, OBJECTS } from './deeds.ts'

const LEAD: ReadonlySet<string> = new Set(
  'please also then and now just kindly can could would will you i we want need would like to help me us let go ahead if not so after that afterwards finally first next'.split(
    ' ',
  ),
)
const DRAFT =
  /^(?:translat|rewrite|rephrase|proofread|paraphrase|polish|compose|draft|invent|imagine|role-?play|pretend|turn (?:this|the following)|make this more|summari[sz]e (?:this|the following))/i
const WRITES = /^(?:write|create|generate|make|give|fill|prepare|tell|come up)\b/i
const TEXT =
  /\b(?:poem|story|stories|haiku|limerick|song|lyrics|joke|letter|e-?mail|mail|message|post|tweet|essay|speech|diary|entry|dialogue|monologue|announcement|update|reminder|changelog|release notes|description|slogan|title|names?|bio|paragraph|article|toast|review|invitation|apology|advert|press release|bullet points|test plan|checklist)\b/i

/** Text to work on stands in the task itself: what was changed in it is in the answer. */
const BRINGS_TEXT = /```|\n[^\S\n]*\S[^\n]{0,400}\n|:\s[^\n]{24}|["“][^"”\n]{30}/

/** What a task wants besides an answer. */
export interface Wishes {
  /** Something is to be done, not only said. */
  action: boolean
  /** What is to be done. */
  deeds: ReadonlySet<Deed>
  /** It speaks of files or other things that tools work on, and brings no text of its own along. */
  onFiles: boolean
  /** The work itself stands in the answer: in its code, or as a new version of a text of the task. */
  inAnswer: boolean
  /** A text is to be written that may speak for anybody about anything. */
  draft: boolean
}

/**
 * Reads a task clause by clause.
 *
 * @param hasCode whether the answer holds a block of code
 */
export function toWishes(task: string, hasCode = false): Wishes {
  const text = task.slice(0, 4_000)
  const clauses = text.split(/[.;:!?\n]+|,\s|\sand\s|\sthen\s/)
  const deeds = new Set<Deed>()
  let names = 0
  for (const clause of clauses) {
    const words = clause.trim().split(/\s+/)
    const first = words.findIndex((word) => !LEAD.has(bare(word)))
    const verb = first === -1 ? '' : bare(words[first] ?? '')
    const deed = ACTIONS.get(verb)
    // "Update me on" and "run me through" ask for words.
    if (deed === undefined || (/^(?:update|run|tell|fill|catch)$/.test(verb) && bare(words[first + 1] ?? '') === 'me'))
      continue
    names++
    deeds.add(deed)
  }
  const draft =
    DRAFT.test(text.trim()) || (WRITES.test(text.trim().replace(/^please /i, '')) && TEXT.test(clauses[0] ?? text))
  const words = text.split(/\s+/)
  const namesPath = words.some((word) => toPath(word) !== undefined)
  // A draft that is also to be saved or sent is work.
  const kept = draft && (names > 1 || namesPath)
  const inAnswer = hasCode || BRINGS_TEXT.test(text)
  const onFiles = !inAnswer && (namesPath || words.some((word) => OBJECTS.has(bare(word))))
  return { action: deeds.size > 0, deeds, onFiles, inAnswer, draft: draft && !kept }
}

const bare = (word: string): string => word.toLowerCase().replace(/[^a-z-]/g, '')
