import { type Look, together } from '../look.ts'
import { type Question, unique } from '../question/question.ts'
import { topicsIn } from '../question/topics.ts'
import { says, stemsOf, toTerms } from '../read/terms.ts'
import type { Finding, Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { findMeaning, findPlace } from './definition.ts'
import { findNamed } from './find-file.ts'
import { describeNamed, sayMissing } from './summary.ts'
import { listImports, listUsers } from './uses.ts'

/** What is wanted of a thing: who uses it, what it needs, where it is, what it is. */
type Wish = 'users' | 'imports' | 'place' | 'meaning'

/** What no name answers: reasons, numbers, and what a manifest or a list of changes says. */
const OTHERS = topicsIn('opinion count todo author license engines testScript devDependencies peerDependencies bin')
/** Another question than what a thing is: who, when, how much, whether, which of several. */
const ASKS_OTHER =
  /(?<!\p{L})(?:who|when|since|how (?:fast|old|large|big|much|often|long|slow|can|do i|to)|latency|performance|complexity|wer|wann|seit|qui|quand)(?!\p{L})|(?:^|[,;:.] )(?:is|are|can|could|has|have|will|ist|sind|hat|kann|est-ce)(?= )|(?:which|what|welche[rsmn]?|quelle?s?)(?= (?:other )?(?:options?|arguments?|parameters?|flags?|settings?|methods?|members|versions?|classes|functions|errors?|exceptions?|value|number|methoden|optione?n?)(?!\p{L}))/iu
const MOST_NAMES = 2
/** Words of a question that neither are its name nor stand in the answer. */
const MOST_OPEN = 3

/** A question that names a thing of the repository: what is said of it depends on few words, wherever they stand. */
export const named: Skill = {
  id: 'named',
  asks: (question) => wishOf(question) !== undefined && targetsOf(question).length > 0,
  *work(session) {
    const { question } = session
    const wish = wishOf(question)
    const targets = targetsOf(question).slice(0, wish === 'meaning' || wish === 'place' ? MOST_NAMES : 1)
    const isSpelled = spelledIn(question).length > 0
    const known = yield* findNamed(session, isSpelled ? [] : question.rest, targets)
    if (question.paths.length > 0 && known.files.length + known.folders.length === 0) return sayMissing(known)
    const [target = ''] = targets
    const [file] = known.files
    if (wish === 'users') return yield* listUsers(session, target, file)
    if (wish === 'imports') return file === undefined ? undefined : yield* listImports(session, file)
    const isOfFile = question.paths.length > 0 || known.said.length > 0
    if (isOfFile && wish === 'meaning') return yield* describeNamed(session, known)
    const found = yield* together(
      targets.map((name) => (wish === 'place' ? findPlace(session, name) : findMeaning(session, name))),
    )
    return sayAll(question, targets, found) ?? (file !== undefined && wish === 'meaning' ? yield* describeNamed(session, known) : undefined)
  },
}

function sayAll(question: Question, targets: readonly string[], found: readonly (Finding | undefined)[]): Finding | undefined {
  const findings = found.filter((finding) => finding !== undefined)
  const parts = findings.flatMap((finding) => finding.parts)
  const told = stemsOf(parts.map((part) => `${part.text} ${part.kind === 'claim' ? part.cites[0]?.path : ''}`).join(' '))
  // a word that what was found does not speak of asks for something else
  const open = toTerms(question.rest.filter((word) => !targets.includes(word))).filter((term) => !says(told, term))
  const most = spelledIn(question).length > 0 ? MOST_OPEN : 0
  if (findings.length < targets.length || open.length > most) return undefined
  return { parts, facts: Object.assign({}, ...findings.map((finding) => finding.facts ?? {})) }
}

/** What is spelled as code, quoted, or a path. */
const spelledIn = ({ paths, identifiers, quoted }: Question): string[] =>
  unique([...paths, ...identifiers, ...quoted.filter((item) => /^[\w$.-]+$/.test(item))])

/** Names as they are spelled, else the one word that is left. */
function targetsOf(question: Question): readonly string[] {
  const spelled = spelledIn(question)
  if (spelled.length > 0) return spelled
  const words = question.rest.filter((word) => /^[\w$.-]+$/.test(word))
  const joined = words.filter((word) => /\w-\w/.test(word))
  if (joined.length === 1) return joined
  return words.length === question.rest.length && words.length <= 2 ? words.slice(0, 1) : []
}

/** What a question wants of what it names; undefined where no name answers it. */
export function wishOf(question: Question): Wish | undefined {
  const { topics, lower } = question
  if ([...OTHERS].some((topic) => topics.has(topic))) return undefined
  const isUsed = topics.has('uses') && !/\bused? (?:for|to)\b|\bi need\b|besoin de savoir/.test(lower)
  if (topics.has('needs')) return 'imports'
  if (isUsed && ASKS_USERS.test(lower)) return directionOf(question)
  if (topics.has('where') || PLACE.test(lower)) return 'place'
  if (ASKS_OTHER.test(lower)) return undefined
  const isAsked = (['purpose', 'effect', 'summary', 'architecture'] as const).some((topic) => topics.has(topic))
  return isAsked || (spelledIn(question).length > 0 && question.rest.length === 0) ? 'meaning' : undefined
}

const PLACE = /(?:^|[.,;:] )(?:which |what )?file\?$/
const ASKS_USERS =
  /(?<!\p{L})(?:what|who|whom|which|where|anything|anyone|list|show|find|name|wer|wem|was|wo|welche[rsnm]?|qui|quels?|quelles?|où|qu.est-ce|liste)(?!\p{L})|何|どれ|誰|どこ|どの/iu

/** Who uses it, or what it uses: by whether its name stands before the verb, and whether the verb is passive. */
function directionOf(question: Question): Wish {
  const { lower, told, language } = question
  if (language === 'ja') return 'users'
  const [name = ''] = targetsOf(question)
  const [verb = ''] = (told.get('uses') ?? '').toLowerCase().split(' ')
  const verbAt = lower.indexOf(verb, verb === '' || !name.toLowerCase().includes(verb) ? 0 : lower.indexOf(name.toLowerCase()) + name.length)
  const nameAt = lower.indexOf(name.toLowerCase())
  const isAfter = nameAt > verbAt || /\b(?:it|this|that|them)\b/.test(lower.slice(verbAt))
  const isPassive = /(?:ed|ée?s?)$/.test(verb) && verb !== 'need' || /\b(?:wird|werden|wurden?)\b/.test(lower)
  return isAfter !== isPassive ? 'users' : language === 'de' && !isPassive ? 'imports' : 'imports'
}
