import { at } from '../cite.ts'
import { lead } from '../question/cited-sentence.ts'
import type { Question } from '../question/question.ts'
import { topicsIn } from '../question/topics.ts'
import { tick } from '../question/wording.ts'
import { type Leaf, readSettings, SETTINGS } from '../read/settings.ts'
import { stemsOf } from '../read/terms.ts'
import { notFound, type Skill } from '../skill.ts'
import { findNamed } from './find-file.ts'

const MOST_LINES = 1500
const ASKING = /^(?:values?|settings?|keys?|entry|set|configured|report|read|state|print|wert|valeur)$/i
/** Topics whose words may be keys. */
const KEYS = topicsIn('version license author main engines scripts command dependencies exports test')
const ELSE = topicsIn('opinion count where needs architecture')

/** The one value that a file of settings has under a key that the question names. */
export const setting: Skill = {
  id: 'setting',
  asks: (question) =>
    question.paths.length === 1 &&
    question.paths.every((path) => SETTINGS.test(path)) &&
    ![...ELSE].some((topic) => question.topics.has(topic)) &&
    !/^(?:is|are|does|do|has|have|ist|hat|est-ce)\b/.test(question.lower) &&
    keysIn(question).length > 0,
  *work(session) {
    const { files } = yield* findNamed(session)
    const [path = ''] = files
    const excerpt = path === '' ? undefined : yield* session.read(path, { limit: MOST_LINES })
    if (!excerpt || excerpt.total > excerpt.lines.length) return undefined
    const asked = stemsOf(keysIn(session.question).join(' '))
    const stemsAt = ({ path: keys }: Leaf): ReadonlySet<string> => stemsOf(keys.join(' '))
    const held = readSettings(excerpt).filter((leaf) => {
      const [all, last] = [stemsAt(leaf), stemsOf(String(leaf.path.at(-1)))]
      return [...asked].every((stem) => all.has(stem)) && [...last].every((stem) => asked.has(stem))
    })
    const exact = held.filter((leaf) => stemsAt(leaf).size === asked.size)
    const found = exact.length > 0 ? exact : held
    if (found.length === 0) return notFound(`I found no such key in \`${path}\`.`)
    const parts = found.map(({ path: keys, value, line }) => {
      const name = keys.join('.')
      return lead(`${tick(name)} is ${tick(value, 300)} in ${tick(path)}`, [at(path, line)], [name, path])
    })
    return { parts, facts: { value: found[0]?.value }, missing: found.length > 1 }
  },
}

const keysIn = ({ rest, identifiers, quoted, told, paths }: Question): string[] => [
  ...[...rest, ...identifiers, ...quoted].filter((word) => !ASKING.test(word) && !paths.includes(word)),
  ...[...told].filter(([topic]) => KEYS.has(topic)).map(([, words]) => words),
]
