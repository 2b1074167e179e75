import { isStopWord } from '../../../text/index.ts'
import type { Material } from '../material.ts'
import { words } from './language.ts'

/** Asks for words that the answer makes itself. */
export const TEXTS = words(
  String.raw`draft\p{L}*|translat\p{L}*|compose|rephrase|proofread|suggest|propose\p{L}*|poem|story|letters?|entw[iu]rf\p{L}*|übersetz\p{L}*|vorschlag|formulier\p{L}*|brief|entschuldigung|tradui\p{L}*|rédige\p{L}*|brouillon|lettre|(?:write|prepare|give|schreib\p{L}*|écri\p{L}*)(?=[^.\n]{0,60}(?:mail|message|update|announcement|entry|changelog|notes|post|tweet|review|summary|description|nachricht|text|annonce))|下書き|翻訳|訳して|文面`,
)
/** What a clause begins with that asks for words alone, or for a look. */
const ASKS_FOR_WORDS = words(
  String.raw`explain|describe|what|how|why|who|whose|when|where|which|is|are|was|were|does|do|did|has|have|should|will|list|name|give|show|say|summari[sz]e|compare|review|find|look|check|search|read|count|calculate|compute|sort|order|rank|recommend|plan|outline|think|help|define|discuss|analy[sz]e|come|verify|test|report|research|extract|identify|estimate|determine|investigate|inspect|evaluate|predict|see|watch|answer|collect|gather|get|imagine|pretend|develop|design|shorten|simplify|erklär\p{L}*|beschreib\p{L}*|was|wie|warum|wer|wann|wo|welche\p{L}*|ist|sind|nenn\p{L}*|zeig\p{L}*|vergleich\p{L}*|schreib\p{L}*|fass\p{L}*|such\p{L}*|find\p{L}*|sag\p{L}*|rechne\p{L}*|berechne\p{L}*|lies|lese|schau\p{L}*|analysier\p{L}*|gib|mach\p{L}*|zähl\p{L}*|prüf\p{L}*|explique\p{L}*|décri\p{L}*|que|quels?|quelles?|comment|pourquoi|qui|quand|où|combien|donne\p{L}*|montre\p{L}*|écri\p{L}*|résume\p{L}*|vérifie\p{L}*|liste\p{L}*|cherche\p{L}*|trouve\p{L}*|indique\p{L}*|dis|dites|calcule\p{L}*|lis|lisez|regarde\p{L}*|fais|faites|relève\p{L}*|extrais`,
)
/** To tell somebody else is a deed. */
const TELLS = /^[Tt]ell\s(?!the\s(?!story|joke|truth)|\p{Lu})/u
const POLITE =
  /^(?:[\s"'(]|(?:please|kindly|also|then|now|and|can you|could you|would you|bitte|dann|auch|puis|ensuite)(?!\p{L}),?\s?)+/iu
/** An imperative with its object: a noun that stands first, or behind "and", is none. */
const HAS_OBJECT =
  /^\p{L}{2,}\s(?:\p{Lu}|\d|[\w/-]{1,80}\.\w|(?:the|my|our|an?|it|me|them|this|us|all|every|each|den|die|das|mir|es|le|la|les|une?)(?!\p{L}))/u
const PARTS = /,\s(?:(?:and|then|und|et)\s)?|\s(?:and|then|und|et)\s/
/** A thing that may be made in the answer, where no file or address is named. */
const MAKES = /^(?:write|make|create|generate|prepare|produce|build|add|set|turn|convert|rewrite|improve)$/
const PLACE = /@|\w\.\w{2,4}(?!\w)/
const LONGEST_TASK = 2_000

/** Whether a task asks for something to be done, not only said. */
export const asksForDeed = (material: Material): boolean =>
  material.once('asks-for-deed', () =>
    material.task.description
      .slice(0, LONGEST_TASK)
      .split(/(?<=[.!?])\s|[;\n]/)
      .some((sentence) => (sentence.split(/:\s/)[0] ?? '').split(PARTS).some(asks)),
  )

/** Whether a part of a sentence, the first one or another, begins with a verb that words alone cannot follow. */
function asks(part: string, at: number): boolean {
  const clause = part.replace(POLITE, '')
  const first = /^\p{L}{2,}(?=\s|$|[.!](?:\s|$))/u.exec(clause)?.[0].toLowerCase() ?? ''
  if (first === '' || TEXTS.test(clause) || isStopWord(first)) return false
  if (MAKES.test(first)) return PLACE.test(clause)
  const isImperative = HAS_OBJECT.test(clause) || (at === 0 && clause.split(/\s+/).length <= 3)
  return isImperative && !ASKS_FOR_WORDS.test(first) && !TELLS.test(clause)
}
