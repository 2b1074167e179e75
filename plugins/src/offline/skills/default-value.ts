import { at } from '../cite.ts'
import { together } from '../look.ts'
import { claim, heading } from '../question/cited-sentence.ts'
import { isReckoning } from '../question/kind.ts'
import { unique, uniqueBy } from '../question/question.ts'
import { tick } from '../question/wording.ts'
import type { Hit } from '../read/formats.ts'
import { isTestPath, SOURCES } from '../read/symbols.ts'
import { stemsOf, toTerms } from '../read/terms.ts'
import type { Skill } from '../skill.ts'
import { lookAtTree } from '../survey.ts'

const MOST_WORDS = 6
const MOST_HITS = 40
/** What says that nothing is given, beside the word for a default. */
const NOTHING_GIVEN =
  /(?<!\p{L})(?:without (?:any )?(?:arguments?|options?|parameters?)|(?:set|pass|give|given|configure|specify)\p{L}* (?:no|none|nothing)|(?:no|none|nothing) (?:is|was|are) (?:set|given|passed|specified)|(?:keine?[nrs]?|nichts?) (?:angib|angeb|setz|übergib|übergeb|anzugeb)\p{L}*|ohne angabe|sans (?:options?|arguments?|rien))(?!\p{L})/u
/** `name: value` or `name = value`, with a value that stands for itself. */
const ASSIGNED =
  /^(?:(?:export|const|let|var|static|readonly) )*(?:[\w$]+\.)*['"]?([A-Za-z_$][\w$]*)['"]?\s*[:=]\s*(-?\d[\w.]*|true|false|'[^']+'|"[^"]+"|`[^`]+`)\s*(?:[,;]|\/\/.*|$)/
/** Words of names that say nothing of what is set. */
const AROUND = stemsOf('default defaults number value of is max min the')

/** The value that something has where nobody sets it: of a name made of words of the question, where code gives one alone. */
export const defaultValue: Skill = {
  id: 'default-value',
  asks: (question) => {
    const { topics, lower, rest, paths } = question
    return (
      (topics.has('default') || NOTHING_GIVEN.test(lower)) &&
      !isReckoning(question) &&
      !topics.has('where') &&
      !topics.has('count') &&
      !topics.has('opinion') &&
      paths.length === 0 &&
      rest.length > 0
    )
  },
  *work(session) {
    yield* lookAtTree(session)
    const { identifiers, lower, told } = session.question
    const asked = stemsOf(lower)
    const words = [...session.question.rest, ...[...told.values()].flatMap((said) => said.split(' '))]
    const terms = toTerms(unique(words.filter((word) => /^\p{L}{3,}$/u.test(word)))).slice(0, MOST_WORDS)
    const searches = yield* together(
      (identifiers.length > 0 ? toTerms(identifiers) : terms).map(({ sought }) =>
        session.search(sought, { pattern: SOURCES, limit: MOST_HITS }),
      ),
    )
    const found = uniqueBy(
      searches.flatMap((some) => some?.hits ?? []),
      ({ path, line }) => `${path}:${line}`,
    ).flatMap((hit) => read(hit, asked, identifiers))
    const most = Math.max(...found.map(({ size }) => size))
    const best = found.filter(({ size }) => size === most)
    if (unique(best.map(({ value }) => value)).length !== 1) return undefined
    return {
      parts: [
        heading('Set where nothing else is'),
        ...uniqueBy(best, ({ hit }) => hit.path)
          .slice(0, 3)
          .map(({ hit }) => claim(tick(hit.text), [at(hit.path, hit.line)])),
      ],
      facts: { value: best[0]?.value },
    }
  },
}

/** A line that sets what the question asks for, and how many words of it its name holds. */
function read(hit: Hit, asked: ReadonlySet<string>, identifiers: readonly string[]) {
  const [, name = '', value = ''] = ASSIGNED.exec(hit.text) ?? []
  if (name === '' || isTestPath(hit.path)) return []
  const stems = [...stemsOf(name)].filter((stem) => !AROUND.has(stem))
  const isAsked =
    identifiers.length > 0 ? identifiers.includes(name) : stems.length > 1 && stems.every((stem) => asked.has(stem))
  return isAsked ? [{ hit, value: value.replace(/^["'`]|["'`]$/g, ''), size: stems.length }] : []
}
