import { at } from '../cite.ts'
import { together } from '../look.ts'
import { baseName } from '../paths.ts'
import { lead } from '../question/cited-sentence.ts'
import { uniqueBy } from '../question/question.ts'
import type { Topic } from '../question/topics.ts'
import { quote, tick } from '../question/wording.ts'
import type { Hit } from '../read/formats.ts'
import { isSourcePath, isTestPath } from '../read/symbols.ts'
import { says, stemsOf, toTerms } from '../read/terms.ts'
import type { Skill } from '../skill.ts'
import { DOCUMENTS, SOURCES } from './definition.ts'

const MOST_HITS = 30
const MOST_TERMS = 4
const ALLOWED: ReadonlySet<Topic> = new Set<Topic>([
  ...([
    'default',
    'purpose',
    'option',
    'self',
    'how',
    'count',
    'constant',
    'uses',
    'method',
    'function',
    'class',
  ] as const),
])
const ASIDE = /changelog|history|\.d\.[cm]?ts$|\.min\.|(?:^|\/)(?:dist|umd|bench(?:mark)?s?|samples?|examples?)\//i
/** An item, a row, or prose that calls something by its name in code; a line of an example says nothing about the thing itself. */
const SAYS =
  /^\s*(?:[-*+|#>]|\d+\.)\s?.*\bdefaults?\b|^(?!.*(?:=>|[;{,]\s*$)).*`.*\bdefaults?\b|^(?!.*(?:=>|[;{,]\s*$)).*\bdefaults?\b.*`/i
/** A value that a line gives: `x: 5`, `X = 'a'`. */
const SETS = /[:=]\s*(?:-?\d[\d_.]*|true|false|null|undefined|'[^']*'|"[^"]*"|`[^`]*`)\s*[,;]?\s*(?:\/\/.*)?$/i

/** The default value of what is named: a line of the documents that says it, or a line of code that sets it. */
export const defaults: Skill = {
  id: 'defaults',
  asks: ({ topics, identifiers, rest, quoted, paths }) =>
    topics.has('default') &&
    paths.length === 0 &&
    [...topics].every((topic) => ALLOWED.has(topic)) &&
    identifiers.length + rest.length + quoted.length > 0,
  *work(session) {
    const { identifiers, rest, quoted } = session.question
    const terms = toTerms([...quoted, ...identifiers, ...rest])
    const [name] = identifiers
    if (terms.length > MOST_TERMS) return undefined
    const [said, set] = yield* together([
      together(terms.map(({ sought }) => session.search(sought, { pattern: DOCUMENTS, limit: MOST_HITS }))),
      together(
        (terms.length === 1 ? [name ?? rest[0] ?? ''] : []).map((one) =>
          session.search(one, { pattern: SOURCES, limit: MOST_HITS }),
        ),
      ),
    ])
    const isAbout = ({ path, text }: Hit): boolean => {
      const stems = stemsOf(`${baseName(path).replace(/\.\w+$/, '')} ${text}`)
      return !ASIDE.test(path) && terms.every((term) => says(stems, term))
    }
    const told = uniqueBy(
      said.flatMap((found) => found?.hits ?? []).filter((hit) => isAbout(hit) && SAYS.test(hit.text)),
      ({ path, line }) => `${path}:${line}`,
    )
    if (told.length > 0 && told.length <= 3)
      return { parts: told.map(({ path, line, text }) => lead(quote(text, 400), [at(path, line)])) }
    if (told.length > 0) return undefined
    const spelled = (name ?? rest[0] ?? '').replace(/\W/g, '\\$&')
    const key = new RegExp(`^[\\s{,]*(?:(?:const|let|var|this\\.)\\s*)?['"]?${spelled}['"]?\\s*[:=](?!=)`, 'i')
    const lines = set
      .flatMap((found) => found?.hits ?? [])
      .filter(
        ({ path, text }) =>
          isSourcePath(path) && !isTestPath(path) && !ASIDE.test(path) && key.test(text) && SETS.test(text),
      )
    const values = new Set(lines.map(({ text }) => text.replace(/^[^:=]*[:=]\s*/, '').replace(/[,;]\s*$/, '')))
    const [line] = lines
    if (line === undefined || values.size > 1 || set.some((found) => (found?.more ?? 0) > 0)) return undefined
    return { parts: [lead(`${tick(line.path)} sets ${tick(line.text)}`, [at(line.path, line.line)])] }
  },
}
