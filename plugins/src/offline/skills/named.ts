import { together } from '../look.ts'
import { type Question, unique } from '../question/question.ts'
import { topicsIn } from '../question/topics.ts'
import { says, stemsOf, toTerms } from '../read/terms.ts'
import type { Finding, Skill } from '../skill.ts'
import { findMeaning, findPlace } from './definition.ts'
import { findNamed } from './find-file.ts'
import { describeNamed, sayMissing, sayPlaces } from './summary.ts'
import { listImports, listUsers } from './uses.ts'

/** What is wanted of a thing: who uses it, what it needs, where it is, what it is. */
type Wish = 'users' | 'imports' | 'place' | 'meaning'

/** What no thing answers: reasons and numbers; and what the manifest says. */
const NEVER = topicsIn('opinion count todo author')
const IN_MANIFEST = topicsIn('license engines testScript devDependencies peerDependencies bin')
/** Another question than what a thing is: who, when, how much, whether. */
const ASKS_OTHER =
  /(?<!\p{L})(?:who|when|since|gets? from|sum of|average|largest|smallest|how (?:fast|old|large|big|much|often|long|slow|can|do i|to)|latency|performance|complexity|wer|wann|seit|qui|quand)(?!\p{L})/iu
const YES_OR_NO = /^(?:is|are|does|do|did|can|could|has|have|will|ist|sind|hat|kann|est-ce)\b/
const ASKS_WHAT =
  /\b(?:what(?:'?s| is| does| do| are) (?!the (?:version|value))|purpose|effect|meaning|role|was (?:ist|macht|tut)|wozu|wofür|zweck|à quoi|que|qu.est-ce|explain|describe)/
/** One of several things that belong to it. */
const ASKS_ONE =
  /(?:which|what|welche[rsmn]?|quelle?s?) (?:\p{L}+ )?(?:options?|arguments?|parameters?|flags?|settings?|methods?|members|functions|errors?|exceptions?|values?|number|methoden|optione?n?)(?!\p{L})/iu
const MOST_NAMES = 3
/** Words of a question that neither are its name nor stand in the answer. */
const MOST_OPEN = 4

/** A question that names a thing of the repository: what is said of it depends on few words, wherever they stand. */
export const named: Skill = {
  id: 'named',
  asks: (question) => wishOf(question) !== undefined && targetsOf(question).length > 0,
  *work(session) {
    const { question } = session
    const wish = wishOf(question)
    const targets = targetsOf(question).slice(0, wish === 'meaning' || wish === 'place' ? MOST_NAMES : 1)
    const known = yield* findNamed(session, spelledIn(question).length > 0 ? [] : question.rest, targets)
    const isOfFile = question.paths.length > 0 || known.said.length > 0
    if (question.paths.length > 0 && known.files.length + known.folders.length === 0) return sayMissing(known)
    const [target = ''] = targets
    const [file] = known.files
    if (wish === 'users') return yield* listUsers(session, target, file)
    if (wish === 'imports') return file === undefined ? undefined : yield* listImports(session, file)
    if (isOfFile) return wish === 'place' ? sayPlaces(known) : yield* describeNamed(session, known)
    const found = yield* together(
      targets.map((name) => (wish === 'place' ? findPlace(session, name) : findMeaning(session, name))),
    )
    const isFile = file !== undefined && found.every((finding) => finding === undefined) && question.rest.length <= 1
    if (isFile) return wish === 'place' ? sayPlaces(known) : yield* describeNamed(session, known)
    return sayAll(question, targets, found)
  },
}

function sayAll(
  question: Question,
  targets: readonly string[],
  found: readonly (Finding | undefined)[],
): Finding | undefined {
  const findings = found.filter((finding) => finding !== undefined)
  const parts = findings.flatMap((finding) => finding.parts)
  const told = stemsOf(
    parts.map((part) => `${part.text} ${part.kind === 'claim' ? part.cites[0]?.path : ''}`).join(' '),
  )
  // a word that what was found does not speak of asks for something else
  const open = toTerms(question.rest.filter((word) => !targets.some((name) => name.includes(word)))).filter(
    (term) => !says(told, term),
  )
  if (findings.length < targets.length || open.length > (spelledIn(question).length > 0 ? MOST_OPEN : 0))
    return undefined
  return { parts, facts: Object.assign({}, ...findings.map((finding) => finding.facts ?? {})) }
}

/** What is spelled as code, quoted, or a path; `a: true` is called `a`. */
function spelledIn({ paths, identifiers, quoted }: Question): string[] {
  const names = quoted.map((item) => /^([\w$.-]+)(?:\s*[:=].*|\(.*\))?$/.exec(item)?.[1] ?? '')
  return unique([...paths, ...identifiers, ...names.filter((name) => name !== '')])
}

/** Names as they are spelled, else the one with a hyphen, else the one word that is left. */
function targetsOf(question: Question): readonly string[] {
  const spelled = spelledIn(question)
  if (spelled.length > 0) return spelled
  const joined = question.text.match(/(?<![\w-])[a-z]\w*(?:-\w+)+(?![\w-])/gi) ?? []
  if (joined.length === 1 && question.rest.some((word) => joined[0]?.includes(word))) return joined
  const words = question.rest.filter((word) => /^[A-Za-z_$][\w$.-]*$/.test(word))
  return words.length === question.rest.length && words.length <= 2 ? words.slice(0, 1) : []
}

/** What a question wants of what it names; undefined where no name answers it. */
export function wishOf(question: Question): Wish | undefined {
  const { topics, lower, paths, rest } = question
  const has = (some: ReadonlySet<string>): boolean => [...topics].some((topic) => some.has(topic))
  const isSpelled = spelledIn(question).length > 0
  if (has(NEVER) || (paths.length === 0 && has(IN_MANIFEST))) return undefined
  if (BREAKS.test(lower) && isSpelled) return 'users'
  if (topics.has('dependencies') && paths.length === 1) return 'imports'
  if (paths.length > 1 && /\bfrom\b/.test(lower)) return undefined
  const isUsed =
    topics.has('uses') &&
    !/\bused? (?:for|to)\b|\b(?:i|we|you)(?: \w+)? (?:need|use|call|import|require)\b|need to know|\bthe use of\b/.test(
      lower,
    )
  if (topics.has('needs') && (isSpelled || rest.length === 1)) return 'imports'
  if (isUsed && ASKS_USERS.test(lower)) return directionOf(question)
  if (topics.has('where')) return 'place'
  // what comes of numbers has to be worked out
  if (/(?<=[\s(,])\d+(?=[\s),.?])/.test(lower)) return undefined
  const isOther = YES_OR_NO.test(lower) || ASKS_ONE.test(lower)
  if (ASKS_OTHER.test(lower) || (isOther && !ASKS_WHAT.test(lower)) || topics.has('default')) return undefined
  // how things are related is more than what each is
  if (topics.has('architecture') && paths.length === 0) return undefined
  const isAsked = (['purpose', 'effect', 'summary', 'architecture'] as const).some((topic) => topics.has(topic))
  return isAsked || (isSpelled && (rest.length === 0 || /\bhow (?:does|is|are)\b/.test(lower))) ? 'meaning' : undefined
}

/** What would no longer work. */
const BREAKS =
  /\bbreaks?\b.*\b(?:delet|remov|renam|chang)|\b(?:delet|remov|renam|chang)\w*\b.*\b(?:breaks?|affect\w*)|\baffected\b/
const ASKS_USERS =
  /(?<!\p{L})(?:what|who|whom|whose|callers?|users?|usages?|everything|everyone|anybody|which|where|anything|anyone|list|show|find|name|wer|wem|was|wo|welche[rsnm]?|qui|quels?|quelles?|où|qu.est-ce|liste)(?!\p{L})|何|どれ|誰|どこ|どの/iu

/** Who uses it, or what it uses: by whether its name stands before the verb, and whether the verb is passive. */
function directionOf(question: Question): Wish {
  const { told, language } = question
  const [name = ''] = targetsOf(question)
  const lower = question.lower.replace(name.toLowerCase(), '\0')
  const nameAt = lower.indexOf('\0')
  const [verb = ''] = (told.get('uses') ?? '').toLowerCase().split(' ')
  const verbAt = lower.indexOf(verb)
  if (language === 'ja' || nameAt < 0) return 'users'
  if (/\b(?:callers?|users|usages|whose|wer)\b/.test(lower)) return 'users'
  // "welche Dateien braucht X": of several the verb is not said in the singular
  const isObject = language === 'de' && /t$/.test(verb) && !/welche (?:datei|klasse|funktion)(?!en)|welches/.test(lower)
  const isAfter = nameAt > verbAt || /\b(?:it|this|that|them)\b/.test(lower.slice(verbAt))
  const isPassive =
    (/(?:ed|ée?s?|eingebunden)$/.test(verb) && verb !== 'need') || /\b(?:wird|werden|wurden?)\b|\buse of\b/.test(lower)
  if (isObject && !isPassive) return 'imports'
  return isAfter === isPassive ? 'imports' : 'users'
}
