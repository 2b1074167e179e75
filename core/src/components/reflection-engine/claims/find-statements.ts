import { toPath } from '../../../text/calls/paths.ts'
import { findUrls } from '../../../text/calls/urls.ts'
import { toSentences } from '../../../text/sentences.ts'
import { isListItem } from '../shape.ts'
import { DEEDS, type Deed, deedOf, OBJECTS } from './deeds.ts'
import type { Wishes } from './task.ts'

/** Something that an answer says was done. */
export interface Statement {
  /** The sentence. */
  text: string
  verb: string
  deed: Deed
  /** `i`: in the first person; `passive`: it was done; `bare`: the verb alone; `state`: what now is. */
  voice: 'i' | 'passive' | 'bare' | 'state'
  paths: string[]
  urls: string[]
}

const WE: ReadonlySet<string> = new Set("i we i've we've i'd".split(' '))
const BETWEEN: ReadonlySet<string> = new Set(
  "have 've also just now already then successfully first finally even again both went ahead and therefore accordingly quickly carefully next additionally myself only since all up".split(
    ' ',
  ),
)
/** What is no report of something done: denied, possible, asked for, yet to come. */
const UNREAL: ReadonlySet<string> = new Set(
  'not never cannot nothing none nobody neither no could would should may might must can will shall if when once whenever unless until before being without whether had however else instead until till how why you they he she'.split(
    ' ',
  ),
)
const CONDITIONS: ReadonlySet<string> = new Set('if unless once until whenever whether had before'.split(' '))
/** Forms that also ask for it: "Put it into a.txt" reports nothing. */
const AMBIGUOUS: ReadonlySet<string> = new Set('put read set run split cut'.split(' '))
/** "is installed" says what now is; "is created" may say what always happens. */
const LASTING: ReadonlySet<string> = new Set(
  'installed fixed deployed booked scheduled sorted closed merged published renamed removed deleted uploaded configured'.split(
    ' ',
  ),
)
const BREAKS: ReadonlySet<string> = new Set(
  'which that because so where while but whose using based like containing with since although though'.split(' '),
)
const DATED =
  /\b(?:1\d{3}|20[0-4]\d)\b|\b(?:january|february|march|april|june|july|august|september|october|november|december|yesterday|years? ago|last (?:week|month|year))\b|\bat \d{1,2}:\d\d\b/i
/** Longer sentences are read up to here, and longer answers up to so many reports. */
const MAX_INTRO = 200
const MAX_SENTENCE = 2_000
const MAX_WORDS = 200
const MAX_STATEMENTS = 200
const IN_PLACE =
  /\b(?:is|are|lives?) (?:now |all |both |already )?(?:in place|ready|set up|available|stored|saved|located|there|(?:in|at|under) [`"']?[\w.~/-]{1,200}[./][\w/])/i
const ABOUT_FAULTS = /\b(?:bug|error|problem|issue|cause|mistake|typo|fault|defect|leak|test|missing)\b/i

/** Whether words stand as they are in the task or in what was read. */
export type StandsElsewhere = (words: string) => boolean

/** Everything that a text says was done, in the order of the text. Linear in its length. */
export function findStatements(prose: string, wishes: () => Wishes, standsElsewhere: StandsElsewhere): Statement[] {
  const found: Statement[] = []
  for (const sentence of toStatedSentences(prose, standsElsewhere)) {
    if (found.length >= MAX_STATEMENTS) break
    if (sentence.endsWith('?')) continue
    const own = readSentence(sentence.slice(0, MAX_SENTENCE), wishes)
    found.push(...own)
    if (own.length === 0 && IN_PLACE.test(sentence) && !ABOUT_FAULTS.test(sentence) && wishes().action) {
      const paths = sentence.split(/\s+/).flatMap((word) => toPath(word) ?? [])
      const verb = 'created'
      const deed = DEEDS.get(verb)
      if (paths.length > 0 && deed !== undefined)
        found.push({ text: sentence.slice(0, MAX_SENTENCE), verb, deed, voice: 'state', paths, urls: [] })
    }
  }
  return found.filter(({ paths, urls }) => paths.length + urls.length > 0 || !wishes().draft)
}

/** Sentences without what is quoted; an item of a list stands behind the words that introduce the list. */
export function toStatedSentences(prose: string, standsElsewhere: StandsElsewhere): string[] {
  const sentences: string[] = []
  let intro = ''
  for (const line of prose.replaceAll('’', "'").split('\n')) {
    if (/^\s*>/.test(line)) continue
    const item = isListItem(line)
    if (!item && line.trim() !== '') intro = line.slice(0, MAX_INTRO).trim()
    const hedged =
      item &&
      /(?:\bbefore you|\bshould|\bmake sure(?: that)?|\bcheck(?: that)?|\bensure|\bonce|\bwhen|\bif|\bto do|\bsteps?)\b[^.]*:?$/i.test(
        intro,
      )
    if (hedged) continue
    const bare = line.replace(/^\s{0,12}(?:[-*•+]|\d{1,3}[.)])\s+/, '')
    sentences.push(...toSentences(withoutQuotations(bare, standsElsewhere)))
  }
  return sentences
}

/**
 * Words in quotation marks are somebody else's; a single word or path in them is not. So is code in backticks that speaks
 * of itself as "I", or that a sentence names and that stands elsewhere as it is.
 */
function withoutQuotations(line: string, standsElsewhere: StandsElsewhere): string {
  let rest = line
  if (/["“]/.test(rest)) rest = rest.replace(/“([^”\n]{0,600})”|["“]([^"”\n]{0,600})["”]/g, cutWords)
  if (!rest.includes('`')) return rest
  const isNamed = /[a-z]{2}/i.test(rest.replace(CODE, ''))
  return rest.replace(CODE, (whole, inner: string) =>
    isNamed && inner.trim().includes(' ') && standsElsewhere(inner) ? '…' : cutSpeech(whole, inner),
  )
}

const CODE = /`([^`\n]{0,600})`/g

const cutWords = (whole: string, ...inner: string[]): string =>
  (inner[0] ?? inner[1] ?? '').trim().includes(' ') ? '…' : whole
const cutSpeech = (whole: string, inner: string): string => (/^(?:I|We)(?: |'ve )/.test(inner) ? '…' : whole)

function readSentence(sentence: string, toWishes: () => Wishes): Statement[] {
  const tokens = sentence.split(/\s+/, MAX_WORDS)
  const words = tokens.map(toBare)
  const verbs = words.flatMap((word, index) => (DEEDS.has(word) ? [index] : []))
  if (verbs.length === 0) return []
  const wishes = toWishes()
  const found: Statement[] = []
  let speaker: Statement['voice'] | undefined
  const isReport = DATED.test(sentence)
  verbs.forEach((at, order) => {
    const verb = words[at] ?? ''
    const deed = deedOf(words, at)
    const voice = voiceOf(words, tokens, at, speaker)
    if (deed === undefined || voice === undefined) return
    if (voice === 'i' || voice === 'passive') speaker = voice
    const from = clauseStart(tokens, words, at)
    if (isUnreal(words, from, at, voice)) return
    const before = verbs[order - 1]
    const next = verbs[order + 1]
    const { paths, urls } = objectsOf(tokens, words, at, voice, before, next)
    const isOwn = voice === 'i'
    // Others did things as well: without "I", a date, "by …" or a task that asked for nothing make it a report.
    if (!isOwn && (isReport || isByOthers(tokens, words, at))) return
    if (!isOwn && !wishes.action && !(voice === 'passive' && paths.length > 0 && words[at - 1] === 'been')) return
    if (isOwn && isIdiom(words, at)) return
    if (!isOwn && !isAsked(words, at, verb, deed, wishes)) return
    const clause = words.slice(from, next ?? words.length)
    const namesObject = paths.length > 0 || urls.length > 0 || clause.some((word) => OBJECTS.has(word))
    if (deed.needsObject === true && !namesObject && !(wishes.onFiles && !deed.looks && voice !== 'bare')) return
    // What was changed in a text of the task, or in code of the answer, is there to be seen.
    if (deed.kind === 'file' && paths.length === 0 && wishes.inAnswer) return
    found.push({ text: sentence, verb, deed, voice, paths, urls })
  })
  return found
}

/** "It was set" may explain how something came about: it reports work only where such work was asked for. */
function isAsked(words: readonly string[], at: number, verb: string, deed: Deed, { deeds }: Wishes): boolean {
  const asked = DEEDS.get(verb)
  if (deed.looks === true) return words[at - 1] === 'been' && deeds.has(deed)
  if (words[at - 1] !== 'was' && words[at - 1] !== 'were') return true
  return (deed.runs === true && deed.by === undefined) || (asked !== undefined && deeds.has(asked))
}

const POINTS_BACK: ReadonlySet<string> = new Set('it them this that these those both'.split(' '))
/** "I wrote nothing to a.txt" says what was not done. */
const NOTHING: ReadonlySet<string> = new Set('no nothing none neither'.split(' '))

/** Between "I" and the verb nothing may deny it, nor right behind the verb; before "I" only a condition does. */
function isUnreal(words: readonly string[], from: number, at: number, voice: Statement['voice']): boolean {
  if (words[at - 1] === 'to' || NOTHING.has(words[at + 1] ?? '')) return true
  const subject = voice === 'i' ? words.findLastIndex((word, index) => index < at && WE.has(word)) : -1
  return words
    .slice(from, at)
    .some((word, offset) => (from + offset < subject ? CONDITIONS : UNREAL).has(word) || word.endsWith("n't"))
}

function voiceOf(
  words: readonly string[],
  tokens: readonly string[],
  at: number,
  speaker: Statement['voice'] | undefined,
): Statement['voice'] | undefined {
  let back = at - 1
  while (back >= 0 && BETWEEN.has(words[back] ?? '') && words[back] !== 'and') back--
  const before = words[back] ?? ''
  if (WE.has(before)) return 'i'
  if (before === 'been' || before === 'was' || before === 'were') return 'passive'
  if (before === 'is' || before === 'are') return LASTING.has(words[at] ?? '') || back < at - 1 ? 'passive' : undefined
  if (before === 'and' || before === 'then' || (tokens[back] ?? '').endsWith(',')) {
    return speaker ?? (words.slice(0, back).some((word) => WE.has(word)) ? 'i' : undefined)
  }
  if (AMBIGUOUS.has(words[at] ?? '')) return undefined
  // "Created a.txt", "Done: created a.txt"
  return back < 0 || /[:!–—✅]$/u.test(tokens[back] ?? '') ? 'bare' : undefined
}

/** Where the part of the sentence begins that the verb belongs to. */
function clauseStart(tokens: readonly string[], words: readonly string[], at: number): number {
  for (let index = at - 1; index >= 0; index--) {
    if (/[,;:–—]$/.test(tokens[index] ?? '')) return index + 1
    if (words[index] === 'but') return index
  }
  return 0
}

function objectsOf(
  tokens: readonly string[],
  words: readonly string[],
  at: number,
  voice: Statement['voice'],
  before: number | undefined,
  next: number | undefined,
): { paths: string[]; urls: string[] } {
  let end = at + 1
  const last = next ?? tokens.length
  while (end < last && !BREAKS.has(words[end] ?? '') && !/;$/.test(tokens[end - 1] ?? '')) end++
  let start = at
  const least = before === undefined ? 0 : before + 1
  // What stands before a colon is spoken of by "created: a.txt", and not by "nothing mentions a.txt: I searched".
  const ends = voice === 'i' ? /[;:]$/ : /;$/
  while (start > least && !BREAKS.has(words[start - 1] ?? '') && !ends.test(tokens[start - 1] ?? '')) start--
  const after = pathsIn(tokens, words, at + 1, end)
  // A file between two deeds is that of the first, unless the second is done to "it".
  const isTaken = voice === 'i' && before !== undefined && at + 1 < last && !POINTS_BACK.has(words[at + 1] ?? '')
  const ahead = isTaken ? [] : pathsIn(tokens, words, start, at)
  const paths = voice === 'passive' || after.length === 0 ? [...ahead, ...after] : after
  const text = tokens.slice(start, end).join(' ')
  return { paths: [...new Set(paths)], urls: findUrls(text) }
}

function pathsIn(tokens: readonly string[], words: readonly string[], from: number, to: number): string[] {
  return tokens.slice(from, to).flatMap((token, offset) => {
    // What something was made from was there before.
    if (['from', 'of', 'by', 'see'].includes(words[from + offset - 1] ?? '')) return []
    return toPath(token) ?? []
  })
}

function isByOthers(tokens: readonly string[], words: readonly string[], at: number): boolean {
  const by = words.indexOf('by', at)
  if (by === -1 || by > at + 6) return false
  const next = words[by + 1] ?? ''
  return !next.endsWith('ing') && !/\d/.test(tokens[by + 1] ?? '') && next !== 'me'
}

const isIdiom = (words: readonly string[], at: number): boolean => {
  const [verb = '', next = '', third = ''] = words.slice(at, at + 3)
  if (verb === 'ran') return ['into', 'out', 'across', 'away', 'over'].includes(next)
  if (verb === 'called' || verb === 'put')
    return ['it', 'this', 'out'].includes(next) && !/^(?:in|into|to|as|at)$/.test(third)
  if (verb === 'made') return ['sure', 'a', 'some', 'no', 'an'].includes(next) && third !== 'file' && third !== 'copy'
  return verb === 'asked' && (next === 'for' || words[at - 1] === 'you')
}

const toBare = (token: string): string =>
  /^[a-z]+$/.test(token) ? token : token.toLowerCase().replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
