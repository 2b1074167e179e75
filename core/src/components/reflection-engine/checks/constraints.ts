import { type Check, excerpt, fail, NOT_APPLICABLE, pass } from '../check.ts'
import { hasAny } from '../material.ts'
import { countWords, toCount, toLines, toListItems, toParagraphs, toSentences, withoutMarks } from '../shape.ts'

/** One limit that a task puts on its answer. */
interface Limit {
  unit: Unit
  least: number
  most: number
  /** The words that ask for it. */
  words: string
}

type Unit = 'word' | 'sentence' | 'character' | 'line' | 'paragraph' | 'item'

const COUNT = String.raw`(\d{1,3}(?:,\d{3})+|\d{1,6}|an?|single|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred)`
const UNIT = String.raw`(words?|sentences?|characters?|chars?|lines?|paragraphs?|bullet(?:s|[ -]points?)?|(?:list )?items?|points?)\b`
const UPPER = String.raw`at most|no more than|not more than|up to|max(?:imum)?(?: of)?|within|under|fewer than|less than|below|limit(?:ed)? (?:it |this |yourself |the \w+ )?to`
const LOWER = 'at least|no fewer than|no less than|min(?:imum)?(?: of)?|more than|over'
const ABOUT = 'about|around|approximately|roughly|some'
const LIMIT = new RegExp(
  String.raw`\b(?:(${UPPER})|(${LOWER})|(exactly|precisely|in|as|using|with|into|of)|(${ABOUT}))(?: exactly| only| just)? ${COUNT}(?:(?: ?[-–] ?| to | or )${COUNT})?[ -](?:(?:short|brief|concise|complete|clear|plain|full|simple|English|numbered) ){0,2}${UNIT}`,
  'gi',
)
const COMPOUND = new RegExp(
  String.raw`\b${COUNT}-(word|sentence|line|paragraph|bullet|item|point)\b(?! (?:limit|file|string|input|document|text))`,
  'gi',
)
const BETWEEN = new RegExp(String.raw`\bbetween ${COUNT} and ${COUNT} ${UNIT}`, 'gi')
/** What every limit names: a task without it needs no closer look. */
const NAMES_UNIT = /word|sentence|char|line|paragraph|bullet|item|point/i
/** Before the limit in its clause: then it is about something else than the answer. */
const ABOUT_OTHERS =
  /\b(?:that|which|whose|where|when|if|having|contain\w*|function|method|class|script|program|regex|column|row|field|file|files|each|every|per|count|find|how many|strings?|lists? of|longer|shorter|following)\b/i
const PER_ITEM = /^ (?:each|apiece|per|for each|for every|long each)\b/i

const UNITS: Readonly<Record<string, Unit>> = {
  w: 'word',
  s: 'sentence',
  c: 'character',
  l: 'line',
  p: 'paragraph',
  b: 'item',
  i: 'item',
}
const MEASURES: Readonly<Record<Unit, (text: string) => number>> = {
  word: (text) => countWords(withoutMarks(text)),
  sentence: (text) => toSentences(withoutMarks(text)).length,
  character: (text) => [...text.trim()].length,
  line: (text) => toLines(text).length,
  paragraph: (text) => toParagraphs(text).length,
  item: (text) => toListItems(text).length,
}

/** One of them is in every limit and rule. */
const LIMIT_WORDS: ReadonlySet<string> = new Set(
  'word words sentence sentences character characters char chars line lines paragraph paragraphs bullet bullets item items point points yes number caps upper uppercase lower lowercase capital capitals start begin end finish close not don never without'.split(
    ' ',
  ),
)

/** Every explicit limit of the task on length and count is kept. */
export const constraints: Check = {
  id: 'constraints',
  critical: false,
  strict: true,
  trust: 0.9,
  lesson: { trigger: 'a task with a limit on length or count', cause: '1.1', advice: 'Count before answering.' },
  look({ task, output, plan, taskWords }) {
    if (plan?.steps.some((step) => step.outputFormat) !== true && !hasAny(taskWords, LIMIT_WORDS)) return NOT_APPLICABLE
    const needed = new Set(plan?.steps.flatMap((step) => step.dependsOn))
    const wishes = plan?.steps.filter((step) => !needed.has(step.id)).map((step) => step.outputFormat ?? '') ?? []
    if (wishes.every((wish) => wish === '') && !hasAny(taskWords, LIMIT_WORDS)) return NOT_APPLICABLE
    const text = [task.description, ...wishes].join('\n')
    const limits = toLimits(text)
    const broken: { found: string; wanted: string }[] = []
    for (const { unit, least, most, words } of limits) {
      const count = MEASURES[unit](output)
      if (count < least || count > most) {
        broken.push({ found: `${count} ${unit}${count === 1 ? '' : 's'}`, wanted: words })
      }
    }
    const rules = toRules(text)
    for (const rule of rules)
      if (!rule.keeps(output)) broken.push({ found: `"${excerpt(output, 60)}"`, wanted: rule.words })
    if (limits.length + rules.length === 0) return NOT_APPLICABLE
    if (broken.length === 0) return pass()
    return fail(
      broken.map(({ found, wanted }) => `asked for "${wanted}", got ${found}`).join('; '),
      broken.map(({ found, wanted }) => `Keep to "${wanted}" (there were ${found}).`).join(' '),
    )
  },
}

/** The limits that a task puts on the length and number of parts of its answer. */
export function toLimits(task: string): Limit[] {
  const limits: Limit[] = []
  if (!NAMES_UNIT.test(task)) return limits
  const add = (unit: string, least: number, most: number, words: string) => {
    const known = UNITS[unit.charAt(0).toLowerCase()]
    if (known !== undefined && !limits.some((limit) => limit.unit === known))
      limits.push({ unit: known, least, most, words })
  }
  for (const clause of toClauses(task)) {
    for (const match of clause.matchAll(BETWEEN)) {
      const [words, low = '', high = '', unit = ''] = match
      if (isAboutAnswer(clause, match)) add(unit, toCount(low) ?? 0, toCount(high) ?? Number.POSITIVE_INFINITY, words)
    }
    for (const match of clause.matchAll(LIMIT)) {
      const [words, upper, lower, , about, first = '', second, unit = ''] = match
      const count = toCount(first)
      if (count === undefined || !isAboutAnswer(clause, match)) continue
      const high = second === undefined ? count : (toCount(second) ?? count)
      if (upper !== undefined) add(unit, 0, /fewer|less|under|below/i.test(upper) && count > 1 ? high - 1 : high, words)
      else if (lower !== undefined)
        add(unit, /more|over/i.test(lower) ? count + 1 : count, Number.POSITIVE_INFINITY, words)
      else if (about !== undefined) add(unit, Math.floor(count / 2), Math.ceil(high * 1.5), words)
      // "in 100 words" is a size to come near to, "in two sentences" a count to meet.
      else if (/^w|^c/i.test(unit) && !/exactly|precisely/i.test(words))
        add(unit, count === 1 ? 1 : 0, count === 1 ? 1 : Math.ceil(high * 1.1), words)
      else add(unit, count, high, words)
    }
    for (const match of clause.matchAll(COMPOUND)) {
      const [words, first = '', unit = ''] = match
      const count = toCount(first)
      if (count === undefined || !isAboutAnswer(clause, match)) continue
      if (unit.toLowerCase() === 'word') add(unit, Math.floor(count / 2), Math.ceil(count * 1.2), words)
      else add(unit, count, count, words)
    }
  }
  return limits
}

function isAboutAnswer(clause: string, match: RegExpMatchArray): boolean {
  const at = match.index ?? 0
  return (
    !ABOUT_OTHERS.test(clause.slice(Math.max(0, at - 200), at)) &&
    !PER_ITEM.test(clause.slice(at + match[0].length, at + match[0].length + 12))
  )
}

const toClauses = (task: string): string[] => task.slice(0, 20_000).split(/[.;:!?\n](?=\s|$)|,\s/)

interface Rule {
  words: string
  keeps(output: string): boolean
}

const PHRASE = String.raw`["“'‘]([^"”'’\n]{1,80})["”'’]`
const RULES: readonly { pattern: RegExp; toRule(words: string, phrase: string): Rule }[] = [
  {
    pattern: /\b(?:answer|reply|respond)(?: only)?(?: with)?(?: only)?(?: just)? ["“']?yes["”']? or ["“']?no\b/i,
    toRule: (words) => ({ words, keeps: (output) => /^\W{0,4}(?:yes|no)\b/i.test(output) }),
  },
  {
    pattern: /\b(?:only|just|nothing but|with) the (?:final )?number(?: only| alone)?\b(?! of)/i,
    toRule: (words) => ({ words, keeps: (output) => /^\s*[-−$€£]?\d[\d.,]{0,40}\s?%?\.?\s*$/.test(output) }),
  },
  {
    pattern: /\b(?:all caps|in (?:all )?(?:upper-?case|capital letters|capitals)|in upper case)\b/i,
    toRule: (words) => ({ words, keeps: (output) => output === output.toUpperCase() }),
  },
  {
    pattern: /\bin (?:all )?(?:lower-?case|lower case)(?: letters)?\b/i,
    toRule: (words) => ({ words, keeps: (output) => output === output.toLowerCase() }),
  },
  {
    pattern: new RegExp(
      String.raw`(?:^|[.,;]\s|\band )(?:start|begin)(?: (?:your|the) (?:answer|reply|response))? with (?:the (?:word|words|phrase) )?${PHRASE}`,
      'i',
    ),
    toRule: (words, phrase) => ({
      words,
      keeps: (output) =>
        output
          .trimStart()
          .toLowerCase()
          .replace(/^["“'*_]+/, '')
          .startsWith(phrase.toLowerCase()),
    }),
  },
  {
    pattern: new RegExp(
      String.raw`(?:^|[.,;]\s|\band )(?:end|finish|close)(?: (?:your|the) (?:answer|reply|response))? with (?:the (?:word|words|phrase) )?${PHRASE}`,
      'i',
    ),
    toRule: (words, phrase) => ({ words, keeps: (output) => bareEnd(output).endsWith(bareEnd(phrase)) }),
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:do not|don't|never|without) (?:us(?:e|ing)|mention(?:ing)?|writ(?:e|ing)|say(?:ing)?) (?:the (?:word|words|phrase|name) )?${PHRASE}`,
      'i',
    ),
    toRule: (words, phrase) => ({
      words,
      keeps: (output) => !` ${output.toLowerCase()} `.includes(phrase.toLowerCase()),
    }),
  },
]

const bareEnd = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s."”'’!*_]{1,8}$/, '')

function toRules(task: string): Rule[] {
  const text = task.slice(0, 20_000)
  if (/\b(?:function|script|program|regex|convert|rename|variable)\b/i.test(text)) return []
  return RULES.flatMap(({ pattern, toRule }) => {
    const match = pattern.exec(text)
    return match === null ? [] : [toRule(match[0].replace(/^[.,;]\s/, ''), match[1] ?? '')]
  })
}
