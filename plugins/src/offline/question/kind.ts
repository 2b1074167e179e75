import type { Question } from './question.ts'
import { topicsIn } from './topics.ts'

/** What is asked of a thing with a name. */
export type Kind = 'where' | 'users' | 'imports' | 'together' | 'what'

/** What a look at a thing does not tell: whether something is so, which of many does something, how often, how fast. */
const YES_OR_NO =
  /^(?:is|are|does|do|did|can|could|has|have|will|would|ist|sind|hat|kann|wird|est-ce|peut-on)\b(?!.*(?<!\p{L})(?:what|which|where|how|who|explain|was|welche\p{L}*|wo|wie|wer|qu\p{L}*|où|describ\p{L}*|purpose|tell)(?!\p{L}))/u
const WHICH_OF =
  /(?:^|[.,:;?!] )(?:which|what(?:(?:'s| is)? the)?|name (?:the|an?)|welche\p{L}*|wie heißt die|quelle?s?(?: est l[ea'] ?)?) ?(?:options?|flags?|arguments?|parameters?|settings?|switch(?:es)?|einstellung|paramètres?|drapeau)(?!\p{L})/u
/** What a file is made of is said of it, and of nothing smaller. */
const MEMBERS =
  /(?<!\p{L})(?:methods|members|functions|classes|fields|properties|methoden|funktionen|klassen|méthodes|fonctions)(?!\p{L})/u
/** A figure or a value, which stands in no comment of a name. */
const FIGURE =
  /(?<!\p{L})(?:how (?:often|long|fast|slow|big|large|wide|deep|deeply|far|old|high)|(?:at|to) (?:what|which) \p{L}+|afterwards|wie (?:oft|lange|schnell|groß|breit|tief)|à quelle?)(?!\p{L})/u
/** What would come of a change stands nowhere. */
const SUPPOSED = /(?<!\p{L})(?:what|who|how) (?:would|will|might)(?!\p{L})|(?<!\p{L})what if(?!\p{L})/u
export const INHERIT =
  /(?<!\p{L})(?:inherit|extend|subclass|deriv|erb(?:en|t)|ableit|abgeleitet|hérit)\p{L}*(?!\p{L})|継承/u
/** "The rotations: file, please." */
const FILE = /[:,.;] (?:the )?(?:file|module|datei|fichier)(?:,? please|,? bitte)?[?.!]{0,3}$/
const USES_IT =
  /(?<!\p{L})(?:import|require|use|load|call|need|depend|rel|benutz|verwend|importier)\p{L}* (?:on |upon )?(?:it|them|es|ihn|sie)(?!\p{L})/u
/** Lines show which file uses something, and not which part of it. */
const USING_PART =
  /(?<!\p{L})(?:which|what|welche\p{L}*|quelles?) (?:\p{L}+ )?(?:functions?|methods?|class(?:es)?|funktion(?:en)?|methoden?|klassen?|fonctions?|méthodes?)(?!\p{L})/u
const WHICH = /^(?:in |from )?(?:which|welche\p{L}*|quel\p{L}*)(?!\p{L})/u
/** Words for a sort of imports. */
export const SORT = /^(?:core|built-?in|modules?|third-party|external|local|relative|npm|loads?|extends?|inherits?)$/i
const PAIR = /(?<!\p{L})\w{3,} (?:and|und|et) \w{3,}/u
/** A number by itself, and words that calculate: what comes of it stands nowhere. */
const NUMBER = /(?<![\w.,:/=()'"-])\d[\d.,]*(?![\w:/'")-])/
const RECKONING =
  /(?<!\p{L})(?:(?:two|three|four|five|ten|hundred) times|times (?:the|as)|twice|half of|double the|(?:sum|product|total|percentage) of|difference between|multipl\p{L}*|divided by|(?:zwei|drei)mal|das doppelte|hälfte|le double|moitié)(?!\p{L})/u
export const isReckoning = ({ text, lower, quoted }: Question): boolean =>
  NUMBER.test(withoutQuoted(text, quoted)) || RECKONING.test(lower)
const IMPORTED = '(?:import|requir|depend|us|load|need|rel|pull|call)'

/** What may be asked of a thing with a name; its version, its author or its licence stands nowhere. */
const OF_NAMES = topicsIn(
  'architecture summary self purpose how where defined file folder function class method codeWord option default effect exports uses needs count line test engines dependencies bin main',
)
/** People and times, beside who uses a thing. */
const WHO_OR_WHEN = /^(?:who|when|whose|wer|wann|wessen|qui|quand)(?!\p{L})|誰|いつ/u

/** What a question asks of the things that it names; undefined where a look at them does not tell. */
export function kindOf(question: Question): Kind | undefined {
  const { topics, identifiers, paths, quoted, rest } = question
  // the words of a name ask for nothing
  const lower = [...quoted, ...paths, ...identifiers]
    .sort((a, b) => b.length - a.length)
    .reduce((said, name) => said.replaceAll(name, 'xxx'), question.text)
    .toLowerCase()
  if (![...topics].every((topic) => OF_NAMES.has(topic))) return undefined
  if ([YES_OR_NO, WHICH_OF, FIGURE, SUPPOSED].some((form) => form.test(lower))) return undefined
  if (MEMBERS.test(lower) && !topics.has('count') && !topics.has('architecture'))
    return paths.length > 0 ? 'what' : undefined
  // what inherits from a name is said by other lines than its own
  if (INHERIT.test(lower) && !/\bdoes\b/.test(lower)) return undefined
  const isUse = (topics.has('uses') || topics.has('needs')) && !/\b(?:used|good|needed) for\b/.test(lower)
  const named = identifiers.length + paths.length + quoted.length
  if (topics.has('count') && !(isUse && topics.has('where'))) return undefined
  const isOfMany = WHICH.test(lower)
  if (isOfMany && (isUse || topics.has('test')) && topics.has('architecture')) return undefined
  if (topics.has('architecture') || (topics.has('how') && named === 0 && PAIR.test(lower))) return 'together'
  if (isUse && USING_PART.test(lower)) return undefined
  if (isUse && USES_IT.test(question.lower)) return 'users'
  const about = rest.filter((word) => !SORT.test(word))
  if (isUse && about.length <= (named > 0 ? 2 : 1))
    return asksImports(lower) || topics.has('needs') ? 'imports' : 'users'
  if (WHO_OR_WHEN.test(lower)) return undefined
  if (topics.has('where') || FILE.test(lower)) return 'where'
  if (isOfMany) return undefined
  const isAsked = topics.has('purpose') || topics.has('effect') || topics.has('summary')
  return (isAsked || (named > 0 && (rest.length <= 1 || !topics.has('how')))) && !isReckoning(question)
    ? 'what'
    : undefined
}

/** The text without what it quotes. */
const withoutQuoted = (text: string, quoted: readonly string[]): string =>
  quoted.reduce((said, one) => said.replaceAll(one, ' '), text)

/** "What does a.js import?", and not "What imports a.js?". */
const asksImports = (lower: string): boolean =>
  new RegExp(`\\b(?:does|do) .{1,80} ${IMPORTED}\\w*|\\b(?:imports|dependencies) of\\b`).test(lower)
