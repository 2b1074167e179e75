/** Which words start an instruction, and which instructions only bound another. */

const VERBS: ReadonlySet<string> = new Set(
  (
    'add adapt analyse analyze answer apply assess build calculate categorise categorize change check choose cite clean classify collect combine compare ' +
    'compile compose compute configure contrast convert copy count create debug define deploy derive describe design detect determine develop diagnose ' +
    'discuss document download draft draw edit estimate evaluate examine execute explain explore extend extract fetch figure fill filter find fix format ' +
    'gather generate give group identify implement improve infer inspect install integrate interpret investigate judge justify label list locate look make ' +
    'map measure merge migrate model monitor move name normalise normalize optimise optimize organise organize outline parse plan plot predict prepare ' +
    'present print prioritise prioritize produce propose prove provide publish rank rate read recommend refactor remove rename replace report research ' +
    'resolve review rewrite run scan score search select send set show simulate solve sort split state store structure study suggest sum summarise ' +
    'summarize tell test trace track train transform translate tune update upgrade use validate verify visualise visualize weigh write'
  ).split(' '),
)
const LEADS: ReadonlySet<string> = new Set(
  'please then next first firstly second secondly third thirdly finally lastly also now afterwards and'.split(' '),
)
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  'what which who whom whose when where why how is are do does did can could should would will has have'.split(' '),
)
const BOUNDS =
  /^(?:please )?(?:use|keep|answer (?:in|with|as|only|briefly)|respond|reply|be|do not|don't|never|always|avoid|make sure|ensure|only|format|return|cite|limit|note|remember|assume|include|exclude|ignore|write (?:it |them |everything )?in)\b/i
const MAKING: ReadonlySet<string> = new Set(
  'build collect compile compose compute create derive design develop draft extract find gather generate make plan prepare produce write'.split(
    ' ',
  ),
)

/** The words of a sentence as they are read here: lower case, punctuation at the edges taken off. */
export const plainWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+/u, '').replace(/[^\p{L}\p{N}]+$/u, ''))
    .filter((word) => word !== '')

/** The verb that a sentence starts with when it is an instruction, words such as "please" and "then" skipped. */
export function imperativeOf(sentence: string): string | undefined {
  const word = plainWords(sentence.slice(0, 200)).find((candidate) => !LEADS.has(candidate))
  return word !== undefined && VERBS.has(word) ? word : undefined
}

/** Whether a word can start an instruction. */
export const isImperative = (word: string): boolean => VERBS.has(word.toLowerCase())

/** Whether a sentence asks something. */
export function isQuestion(sentence: string): boolean {
  if (!sentence.trimEnd().endsWith('?')) return false
  const [first] = plainWords(sentence.slice(0, 100)).filter((word) => !LEADS.has(word))
  return first !== undefined && (QUESTION_WORDS.has(first) || first.length > 0)
}

/** Whether a sentence asks for work, not only bounds it ("Use at most 100 words."). */
export const isRequirement = (sentence: string): boolean =>
  isQuestion(sentence) || (imperativeOf(sentence) !== undefined && !BOUNDS.test(sentence.trim()))

/** Whether a sentence bounds other work: its form, its length, its limits. */
export const isBound = (sentence: string): boolean => BOUNDS.test(sentence.trim())

/** Whether a verb brings something new into being, which later instructions can name. */
export const isMaking = (verb: string): boolean => MAKING.has(verb)
