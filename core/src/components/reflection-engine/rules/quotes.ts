import { type Call, toPlainText } from '../../../text/calls/call.ts'
import { toWords } from '../../../text/index.ts'
import { excerpt, quoteList } from '../check.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { normalise, withoutMarkup } from '../shape.ts'
import { DENIES } from '../told/language.ts'
import { LEFT_OUT, mostAlike, toQuotes, toShownSentences } from '../told/misquoted.ts'
import { TEXTS } from '../told/task.ts'
import { contradict, type Holding, type Rule, support } from './rule.ts'

/** Between these signs stands code, whose own quotation marks look like the answer's. */
const CODE = /[{}=<>\\]|^[,:]|":/
/** Words, or six signs of Japanese. */
const FEWEST_WORDS = 3
/** Quotations beyond that stand nowhere are open: each is compared with all sentences. */
const MAX_LOOKS = 200
const JAPANESE = /[぀-ヿ一-鿿]{6}/u
/** Before and after what is quoted, words that only introduce it. */
const INTRODUCES: ReadonlySet<string> = new Set(
  toTokens(
    'says said states reads writes according exact sentence exactly word literally paragraph section article line first file policy page document text it the as follows quote here steht heißt lautet wörtlich punkt in dit selon de le la art § est',
  ),
)

/** Every quotation stands in what was read or in the task, word for word. */
export const quotes: Rule = {
  id: 'quotes',
  trust: 0.9,
  lesson: {
    trigger: 'an answer that quotes its sources',
    cause: '3.3',
    advice: 'Quote only words that were read, exactly as they stand.',
  },
  hint: 'Quote word for word from what the tools returned, or say it without quotation marks.',
  hold({ text, leaf }, material) {
    if (leaf !== undefined) return undefined
    const isBlock = text.startsWith('>') || blockOf(material).includes(text)
    const parts = (isBlock ? [text.replace(/^>\s*/, '')] : toQuotes(text))
      .filter((quote) => isBlock || !CODE.test(quote))
      .flatMap((quote) => quote.split(LEFT_OUT))
      .map((part) => part.trim())
    const long = parts.filter((part) => toWords(part).length >= FEWEST_WORDS || JAPANESE.test(part))
    const foreign = long.filter((part) => !isIn(part, material))
    const short = parts.filter((part) => /^\d{1,9}\s\p{L}+$/u.test(part) && !isIn(part, material))
    const wrong =
      misquoted([...foreign, ...short], material) ?? (isBlock ? undefined : foreignIn(text, foreign, material))
    if (wrong !== undefined) return wrong
    if (long.length === 0 || foreign.length > 0 || long.length < parts.length) return undefined
    return (isBlock ? isIn(blockOf(material), material) : tellsOnly(text, parts, material))
      ? supportBy(long, material)
      : undefined
  },
}

/** What stands in block quotations. */
const blockOf = (material: Material): string =>
  material.once('block-quotes', () =>
    (material.prose.match(/^[ \t]{0,20}>.*$/gm) ?? []).map((line) => line.replace(/^\s*>\s?/, '')).join('\n'),
  )

/** Not word for word what the source has that it must mean. */
function misquoted(foreign: readonly string[], material: Material): Holding | undefined {
  const looked = material.once('looked-for-quotes', () => ({ count: 0 }))
  looked.count += foreign.length
  if (foreign.length === 0 || looked.count > MAX_LOOKS || TEXTS.test(material.task.description)) return undefined
  const sentences = material.once('shown-sentences', () => toShownSentences(material.calls))
  const [source] = foreign.flatMap((part) => mostAlike(part, sentences) ?? [])
  return source && contradict('quote', `the source says: "${excerpt(source.sentence, 120)}"`, source.call)
}

/** Words that a source is said to have, or any where all must have been read, stand in some source. */
function foreignIn(text: string, foreign: readonly string[], material: Material): Holding | undefined {
  const { grounded, sawOther, task, mustBeGrounded } = material
  const [first] = foreign
  if (first === undefined || !grounded || sawOther || TEXTS.test(task.description)) return undefined
  const isSaid = !text.startsWith(first.slice(0, 20), 1) && tellsOnly(text, foreign, material)
  return mustBeGrounded || isSaid ? contradict('quote', `no source has ${quoteList(foreign)}`) : undefined
}

/** Word for word, or as a page shows it: without the marks of Markdown and HTML. */
function isIn(part: string, material: Material): boolean {
  const known = material.once('sayings', () => [
    material.sourceWords,
    // What the agent wanted to say by a call that did not go through is its own, and may be quoted.
    ...material.calls
      .filter(({ status }) => status !== 'completed')
      .map(({ args, text }: Call) => normalise(`${toPlainText(args)}\n${text}`)),
    // A sentence may go on in the next line behind the marks of a comment or a quotation.
    normalise(material.readText.replace(/^[ \t]{0,40}(?:\/{2,3}!?|#|\*|>|--)\s?/gm, '')),
  ])
  if (known.some((source) => source.includes(normalise(part)))) return true
  if (JAPANESE.test(part) && known.some((source) => source.includes(normalise(part).trim()))) return true
  return material
    .once('shown', () => normalise(withoutMarkup(material.sourceText)))
    .includes(normalise(withoutMarkup(part)))
}

/** Beside the quotations nothing is said but where they stand. */
function tellsOnly(text: string, parts: readonly string[], { calls }: Material): boolean {
  if (DENIES.test(parts.reduce((rest, part) => rest.replace(part, ' '), text))) return false
  const places = new Set(calls.flatMap(({ path = '' }) => toTokens(path)))
  const rest = toTokens(parts.reduce((left, part) => left.replace(part, ' '), text))
  return rest.every((token) => INTRODUCES.has(token) || places.has(token))
}

function supportBy(parts: readonly string[], { done }: Material): Holding | undefined {
  const calls = done.filter(
    (call) => !call.acts && parts.some((part) => normalise(call.text).includes(normalise(part))),
  )
  return calls.length === 0 ? undefined : support('quote', calls.slice(0, 3))
}
