import { toStem, toStems } from '../../text/index.ts'
import { toSentences } from '../../text/sentences.ts'
import { type Figure, toFigures } from './figures/figures.ts'
import type { Material } from './material.ts'

const MAX_READ = 20_000
/** From this share of its words on a sentence speaks of what was read. */
const RELATED_FROM = 0.5
/** So many other figures of a sentence that come from what was read show what it speaks of. */
const SHARED_FIGURES = 2
const POINTS_BACK = /^(?:that|this|it|its|these|those|they|so|which)\b/i

/** Words that say what kind of number it is and nothing about what it counts. */
const GENERIC: ReadonlySet<string> = new Set(
  'result answer total sum average mean number value figure count number many much equal come cost make right left exact rough approximat kb mb gb tb kib mib gib ms km kg cm mm ml eur usd euro dollar percent'
    .split(' ')
    .map(toStem),
)

/**
 * Whether a figure speaks of what a tool returned: most words of its sentence stand there, or other figures of it, or the
 * sentence answers a task whose subject was looked up.
 *
 * @param open the figures that come from nowhere, as written
 */
export function isAboutRead(figure: Figure, open: ReadonlySet<string>, material: Material): boolean {
  const read = material.once('numbers-read', () => {
    const texts = material.done.map((call) => `${call.words} ${call.text.slice(0, MAX_READ)}`)
    return new Set(toStems(splitNames([...texts, ...material.given.map((text) => text.slice(0, MAX_READ))].join('\n'))))
  })
  const asked = material.once(
    'numbers-asked',
    () => new Set(toStems(splitNames(material.calls.map(({ words }) => words).join(' ')))),
  )
  const task = material.once('numbers-task', () => contentStems(material.task.description))
  const sentences = material.once('sentences', () => toSentences(material.prose))
  return sentences.some((sentence, index) => {
    if (!sentence.includes(figure.text)) return false
    // "That saves 55 ms" speaks of what the sentence before speaks of.
    const text = POINTS_BACK.test(sentence) ? `${sentences[index - 1] ?? ''} ${sentence}` : sentence
    const others = toFigures(text).filter(
      ({ text: said, value, unit }) => !open.has(said) && (value >= 10 || unit !== ''),
    )
    if (others.length >= SHARED_FIGURES) return true
    const stems = contentStems(text).filter((stem) => !/^\d+$/.test(stem))
    // Numbers and nothing else answer a task of no other words.
    if (stems.length + task.length === 0) return true
    const near = stems.filter((stem) => hasKin(read, stem)).length
    if (stems.length > 0 && near >= RELATED_FROM * stems.length) return true
    const isAnswer = stems.filter((stem) => task.includes(stem)).length >= RELATED_FROM * stems.length
    return isAnswer && task.some((stem) => asked.has(stem))
  })
}

const contentStems = (text: string): string[] => toStems(splitNames(text)).filter((stem) => !GENERIC.has(stem))

/** `stargazers_count` and `testRun` hold two words. */
const splitNames = (text: string): string => text.replace(/(\p{Ll}{2})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ')

function hasKin(stems: ReadonlySet<string>, stem: string): boolean {
  if (stems.has(stem)) return true
  if (stem.length < 4) return false
  for (const other of stems) if (other.length >= 4 && (other.startsWith(stem) || stem.startsWith(other))) return true
  return false
}
