import { isStopWord, toStem, toWords } from '../../../text/index.ts'
import { type Check, fail, NOT_APPLICABLE, pass, quoteList } from '../check.ts'
import { isListItem } from '../shape.ts'

/** Without one of these a task lists nothing. */
const LISTS = /[\n,]|\band\b|\?[^?]{0,2000}\?/
const MIN_SHARE = 0.5
const MAX_TASK = 4_000
const MAX_ITEMS = 12
const CUE =
  /\b(?:answer|cover|include|including|address|explain|describe|mention|report|state|sections?|points?|questions?|topics?|aspects?|requirements?|tell me|discuss|list|compare|need|must|should|give)\b/i
const COMMAND =
  /^(?:what|who|where|when|why|how|which|is|are|does|do|can|list|name|describe|explain|compare|give|state|find|show|count|summari[sz]e|mention|identify|outline|define|report|tell|discuss|calculate|compute|recommend|suggest|evaluate)\b/i
const SERIES =
  /\b(?:cover|covering|include|including|mention|mentioning|address|addressing|describe|explain|discuss|compare|list|report|sections? (?:on|for|about)|state|give|name|about)\b:? ((?:[^,.;:?!\n]{2,60}, ){1,8}(?:and |or )?[^,.;:?!\n]{2,60}|[^,.;:?!\n]{2,60} and [^,.;:?!\n]{2,60})/gi
const ASKS_FOR_BOTH = /^(?:cover|includ|mention|address|compare|sections?)/i
const GENERIC: ReadonlySet<string> = new Set(
  (
    'list name describe explain compare give state find show count summarise summarize mention identify outline define report tell discuss calculate compute ' +
    'recommend suggest evaluate write answer question section point item include cover following each main key short brief briefly detail overview many much ' +
    'number kind type use used thing way example least most word sentence bullet reason different important one two three four five also using'
  )
    .split(' ')
    .map(toStem),
)
const OTHER_LANGUAGE =
  /\b(?:in|into|to|auf) (?:german|deutsch|french|spanish|italian|portuguese|dutch|polish|russian|chinese|japanese|korean|turkish|arabic|hindi|swedish|danish|latin)\b/i
const GIVEN =
  /\b(?:sort|order|translate|rewrite|rephrase|classify|filter|convert|proofread|which of|choose|pick|rank|dedupe|merge|reformat)\b/i

/** Every thing that the task lists (bullets, questions, a series after "cover" or "include") is spoken of. */
export const coverage: Check = {
  id: 'coverage',
  critical: false,
  strict: true,
  trust: 0.85,
  lesson: {
    trigger: 'a task that asks for several things',
    cause: '1.1',
    advice: 'Go through the list before answering: one part for each.',
  },
  look({ task, output, data }) {
    if (!LISTS.test(task.description)) return NOT_APPLICABLE
    if (OTHER_LANGUAGE.test(task.description) || GIVEN.test(task.description)) return NOT_APPLICABLE
    const items = toRequirements(task.description)
    if (items.length < 2) return NOT_APPLICABLE
    const words = toWords(split(data === undefined ? output : `${output} ${JSON.stringify(data)}`))
    if (isForeign(words)) return NOT_APPLICABLE
    const said = new Set(words.map(toStem))
    const missing = items.filter((item) => {
      const stems = toContentStems(item)
      const found = stems.filter((stem) => said.has(stem) || (stem.length > 4 && hasKin(said, stem))).length
      return found < MIN_SHARE * stems.length
    })
    if (missing.length === 0) return pass()
    // When nothing at all is found again, the wording differs; that shows nothing about any one item.
    if (missing.length === items.length && items.length < 3) return NOT_APPLICABLE
    return fail(`nothing about ${quoteList(missing)}`, `Also speak of ${quoteList(missing)}.`)
  },
}

/** The things a task lists; empty when it lists none in a recognizable way. */
export function toRequirements(text: string): string[] {
  // A longer task holds material, whose lists are not what it asks for.
  if (text.length > MAX_TASK) return []
  const lines = text.split('\n')
  const items: string[] = []
  const listed = lines.flatMap((line, index) =>
    isListItem(line) ? [{ index, item: line.replace(/^\s{0,12}(?:[-*•+]|\d{1,3}[.)])\s+/, '').trim() }] : [],
  )
  const commands = listed.filter(({ item }) => COMMAND.test(item)).length
  if (listed.length <= MAX_ITEMS) {
    for (const { index, item } of listed) {
      if (2 * commands > listed.length || CUE.test(introOf(lines, index))) items.push(item)
    }
  }
  const flat = lines.filter((line) => !isListItem(line)).join('\n')
  for (const match of flat.matchAll(SERIES)) {
    const parts = (match[1] ?? '').split(/,\s(?:and |or )?|\sand\s|\sor\s/).map((part) => part.trim())
    if (parts.length === 2 && !ASKS_FOR_BOTH.test(match[0])) continue
    if (parts.every((part) => toWords(part).length <= 8)) items.push(...parts)
  }
  const questions = flat.split(/(?<=\?)\s+/).filter((part) => part.trim().endsWith('?'))
  if (questions.length > 1)
    items.push(
      ...questions
        .map((question) => question.slice(Math.max(0, question.lastIndexOf('. ') + 1)).trim())
        // A question of one word besides the small ones can be answered without that word.
        .filter((question) => toContentStems(question).length > 1),
    )
  return [...new Set(items)].filter((item) => toContentStems(item).length > 0).slice(0, 40)
}

/** The line that introduces the list around a line. */
function introOf(lines: readonly string[], index: number): string {
  for (let above = index - 1; above >= Math.max(0, index - 40); above--) {
    const line = lines[above] ?? ''
    if (line.trim() !== '' && !isListItem(line)) return line.trim().endsWith(':') ? line : ''
  }
  return ''
}

const toContentStems = (text: string): string[] => [
  ...new Set(
    toWords(split(text))
      .filter((word) => !isStopWord(word) && !/^\d+$/.test(word))
      .map(toStem)
      .filter((stem) => !GENERIC.has(stem)),
  ),
]

/** `licenceName` holds two words. */
const split = (text: string): string => text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ')

/** Whether a word of the same beginning was said: `configuration` and `configured`. */
function hasKin(said: ReadonlySet<string>, stem: string): boolean {
  const head = stem.slice(0, Math.max(4, stem.length - 2))
  for (const other of said) if (other.startsWith(head) || (other.length > 4 && stem.startsWith(other))) return true
  return false
}

/** Running text of another language than English has hardly any of its small words. */
const isForeign = (words: readonly string[]): boolean =>
  words.length >= 20 &&
  words.filter(isStopWord).length < 0.05 * words.length &&
  words.some((word) => /[^a-z0-9]/.test(word))
