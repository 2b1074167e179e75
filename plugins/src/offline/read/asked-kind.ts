/** What kind of answer the wording of a question wants. */

const REASON_ASKED = /^\s*(?:(?:and|but|so|then)\s+)?(?:why\b|what (?:causes|is the (?:cause|reason))\b|how come\b)/
const OPINION_ASKED =
  /^\s*(?:(?:and|but|so|then)\s+)?(?:should (?:i|we)\b|is (?:it|this|that|[\w./@-]+) (?:any )?(?:safe|secure|worth|good|bad|better|faster|stable|reliable|ready|recommended|mature)\b|(?:which|what)(?: one| of them)? (?:is|are|works?) (?:the )?(?:better|best|faster|fastest|safer|safest|slower|easier|simpler|more)\b(?! (?:way|to)\b)|would you\b|do you (?:think|recommend)\b)/
const PLACE_ASKED = /^\s*(?:(?:and|so)\s+)?(?:where|in (?:which|what) (?:files?|folders?|modules?))\b/
const LIST_ASKED =
  /^\s*(?:please\s+)?(?:(?:list|enumerate|name)\s+(?:me\s+)?|what\s+(?:are|were)\s+|(?:what|which)\s(?=.+\b(?:are|is|do|does|can|could|has|have|exists?|should|will|may|must)\b))(?:a list of\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+|its\s+|their\s+|your\s+)?([\s\S]+)$/
const AFTER_NOUN =
  /[?.,;:!(]|\b(?:that|which|in|of|for|from|by|with|there|are|is|do|does|did|can|could|has|have|exists?|should|will|may|must|i|you|we|it|this|here|available|supported|used|svc)\b/

export const asksForReason = (lower: string): boolean => REASON_ASKED.test(lower)

/** A cause, an opinion, a comparison: what no file says unless it says it in as many words. */
export const asksForJudgement = (lower: string): boolean => asksForReason(lower) || OPINION_ASKED.test(lower)

/** Whether a text says what is asked for where that is a cause, an opinion or a comparison; true of all other questions. */
export const saysJudgement = (lower: string, text: string): boolean =>
  asksForReason(lower) ? REASON.test(text) : !OPINION_ASKED.test(lower) || OPINION.test(text)

const REASON =
  /\b(?:because|since|so that|why|reasons?|due to|therefore|in order to|otherwise|avoids?|to (?:prevent|allow|keep))\b/i
const OPINION =
  /\b(?:should|recommend\w*|prefer\w*|better|best|avoid|safe|safer|secure|faster|slower|suitable|stable|mature|production[- ]ready|worth)\b/i

/** A way, a place or a cause, which takes more words than those asked for; `how many` asks for a number. */
export const asksHow = (lower: string): boolean =>
  /^\s*(?:how (?!(?:many|much|long|old|often|large|big)\b)|where\b|why\b)/.test(lower)

export const asksForPlace = (lower: string): boolean => PLACE_ASKED.test(lower)

/** What a list is asked of: `exit codes` of "what exit codes are there"; undefined where no list is asked for. */
export function listAskedOf(lower: string): string | undefined {
  const after = LIST_ASKED.exec(lower)?.[1]?.trim()
  if (after === undefined) return undefined
  const end = after.search(AFTER_NOUN)
  const noun = (end < 0 ? after : after.slice(0, end)).trim()
  const words = noun.split(/\s+/)
  return words.length <= 4 && /[a-z]{2}s$/.test(noun) && !/ss$/.test(noun) ? noun : undefined
}
