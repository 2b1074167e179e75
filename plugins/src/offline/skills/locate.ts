import { at } from '../cite.ts'
import { together } from '../look.ts'
import { baseName } from '../paths.ts'
import { claim, lead } from '../question/cited-sentence.ts'
import type { Topic } from '../question/topics.ts'
import { tick } from '../question/wording.ts'
import type { Hit } from '../read/formats.ts'
import { isTestPath, readDefinition } from '../read/symbols.ts'
import { says, stemsOf, type Term, toTerms } from '../read/terms.ts'
import type { Skill } from '../skill.ts'
import { SOURCES } from './definition.ts'

const MOST_HITS = 25
const MOST_FILES = 120
const MOST_TERMS = 5
const MOST_SHOWN = 3
const FORBIDDEN: readonly Topic[] = ['why', 'judgement', 'change', 'count', 'summary', 'architecture', 'how', 'test']
/** Words of such questions that name no thing. */
const VAGUE = /^(?:code|handling|handled|logic|part|place|stuff|sources?|set|kept|stored|computed|variant|helpers?|generator|turns?|does)$/i

/** Where something is that the question does not call by its name: the file whose path or names say all of it. */
export const locate: Skill = {
  id: 'locate',
  asks: ({ topics, identifiers, paths, rest }) =>
    topics.has('where') &&
    identifiers.length + paths.length === 0 &&
    rest.length > 0 &&
    !FORBIDDEN.some((topic) => topics.has(topic)),
  *work(session) {
    const { rest, quoted } = session.question
    const words = [...quoted.flatMap((text) => text.split(/\s+/)), ...rest].filter((word) => !VAGUE.test(word))
    const terms = toTerms(words)
    if (terms.length === 0 || terms.length > MOST_TERMS) return undefined
    const [listing, searches] = yield* together([
      session.list({ depth: 8, pattern: SOURCES, limit: MOST_FILES }),
      together(terms.map(({ sought }) => session.search(sought, { pattern: SOURCES, limit: MOST_HITS }))),
    ])
    const hits = searches.flatMap((found) => found?.hits ?? [])
    const paths = [...new Set([...(listing?.files ?? []).map(({ path }) => path), ...hits.map(({ path }) => path)])]
    const scored = paths
      .filter((path) => !isTestPath(path) && !/\.d\.[cm]?ts$|\.min\./.test(path))
      .map((path) => weigh(path, hits.filter((hit) => hit.path === path), terms))
      .sort((a, b) => b.score - a.score)
    const [best, second] = scored
    if (!best || best.held < terms.length || best.named === 0) return undefined
    if (second && second.score > best.score - MARGIN) return undefined
    const shown = best.lines.slice(0, MOST_SHOWN)
    if (shown.length === 0) return undefined
    return {
      parts: [
        lead(`It is in ${tick(best.path)}`, [at(best.path, shown[0]?.line ?? 1)], [best.path]),
        ...shown.map(({ line, text }) => claim(tick(text, 140), [at(best.path, line)])),
      ],
      facts: { file: best.path, path: best.path },
    }
  },
}

const MARGIN = 0.5

interface Weighed {
  readonly path: string
  readonly score: number
  /** How many terms it says. */
  readonly held: number
  /** How many of them its path or what it defines is called by. */
  readonly named: number
  readonly lines: readonly Hit[]
}

/** A term counts most where the file's name says it, then where a definition does, then a comment, then any line. */
function weigh(path: string, hits: readonly Hit[], terms: readonly Term[]): Weighed {
  const [file, folders] = [stemsOf(baseName(path)), stemsOf(path)]
  const worth = (hit: Hit): number =>
    readDefinition(path, hit.line, hit.text) ? 0.8 : /^\s*(?:\/\*|\*|\/\/|#)/.test(hit.text) ? 0.5 : 0.3
  const values = terms.map((term) => {
    const own = hits.filter((hit) => says(stemsOf(hit.text), term)).map(worth)
    return says(file, term) ? 1 : says(folders, term) ? 0.8 : Math.max(0, ...own)
  })
  return {
    path,
    score: values.reduce((sum, value) => sum + value, 0),
    held: values.filter((value) => value > 0).length,
    named: values.filter((value) => value >= 0.8).length,
    lines: [...hits].sort((a, b) => worth(b) - worth(a)),
  }
}
