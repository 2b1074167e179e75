import type { Call } from '../../../text/calls/call.ts'
import type { Deeds } from '../evidence/deeds.ts'
import { toTokens } from '../evidence/tokens.ts'
import { ALL, DONE, NEGATED, PLANS } from '../told/language.ts'
import { contradict, type Holding, support } from './rule.ts'

const CHANGED = /(?<!\p{L})(?:changed|edited|touched|modified|geändert|angefasst|modifié|touché)(?!\p{L})/iu
/** Words that tell of a deed without saying which. */
export const TELLING: ReadonlySet<string> = new Set(
  toTokens(
    'done file files line lines changed changes set edited updated sent mail email message went gone gave now accepted written wrote added removed created fixed renamed moved deleted closed replaced raised lowered bumped ist sind habe wurde jetzt nun datei geändert gesendet est été ai maintenant fichier modifié remplacé envoyé',
  ),
)

/** "Nothing was changed": no call that may have changed or sent something succeeded. */
export function holdNothing(text: string, { done, ran }: Deeds): Holding | undefined {
  if (!DONE.test(text) && !CHANGED.test(text)) return undefined
  const write = done.find(({ writesFile }) => writesFile)
  if (write !== undefined && CHANGED.test(text))
    return contradict('file', `${write.tool} changed ${write.path ?? 'something'}`, write)
  return done.length + ran.length === 0 && toTokens(text).length <= 3 ? support('command', []) : undefined
}

const added = ({ args, path = '' }: Call): ReadonlySet<string> =>
  new Set(toTokens(`${JSON.stringify(args).replace(/"(?:find|old\w{0,10})":"(?:[^"\\]|\\.)*"/g, ' ')} ${path}`))

/** The arguments and result of one call have all words of each clause: one that succeeded, or one that failed where the clause says so. */
export function supportDeed(
  text: string,
  clauses: readonly string[],
  { calls, done, tokensOf }: Deeds,
): Holding | undefined {
  if (ALL.test(text) || PLANS.test(text) || !(DONE.test(text) || NEGATED.test(text) || /→|->/.test(text)))
    return undefined
  const held: Call[] = []
  for (const clause of clauses) {
    const isDenied = NEGATED.test(clause)
    const tokens = toTokens(isDenied ? clause.replace(NEGATED, ' ') : clause).filter((token) => !TELLING.has(token))
    if (tokens.length === 0) continue
    const pool = isDenied ? calls.filter(({ missed }) => missed) : done
    const call = pool.find((one) => tokens.every((token) => tokensOf(one).has(token)))
    if (call === undefined || (isDenied && NEGATED.test(clause.replace(NEGATED, ' ')))) return undefined
    held.push(call)
  }
  // What a text ends with is what an edit has put there, not what it has replaced.
  const end = toTokens(text.split(/→|->/).at(-1) ?? '').filter((token) => !TELLING.has(token))
  const last = /→|->/.test(text) ? end[0] : end.at(-1)
  if (held.some((call) => call.writesFile && last !== undefined && !added(call).has(last))) return undefined
  return held.length === 0 ? undefined : support(held[0]?.writesFile ? 'file' : 'command', held)
}
