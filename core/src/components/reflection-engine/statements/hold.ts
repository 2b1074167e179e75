import type { Claim } from '../../../contracts/stages/claim.ts'
import { evidenceOf } from '../rules/rule.ts'
import type { Material } from '../material.ts'
import { DENIES } from '../told/language.ts'
import { toTokens } from '../evidence/tokens.ts'
import { type Pair, toPairs } from '../evidence/records.ts'
import type { Statement } from './to-statements.ts'

type Evidence = Claim['evidence']

/** Words that say how something is told and nothing about it. */
const TELLING: ReadonlySet<string> = new Set(
  toTokens(
    'answer result total equals file says states reads shows lists contains defines defined set sets value field called named line gives now currently config configuration ergebnis wert datei steht beträgt lautet résultat valeur fichier vaut indique',
  ),
)
const CLAUSES = /[;()|]|,(?!\d)\s|\s[–—-]\s|\b(?:and|und|et)\b/
const FEWEST_TOKENS = 1

/**
 * The evidence that holds all that a statement says: a value under its label in a structured source, or an equation that is
 * right. Each clause is held by itself. Words that only resemble each other hold nothing.
 *
 * @returns `undefined` where it is open
 */
export function holdStatement(statement: Statement, material: Material): Evidence | undefined {
  const pairs = material.once('pairs', () => toPairs(material.calls))
  const task = material.once('task-tokens', () => new Set(toTokens(material.task.description)))
  if (statement.leaf !== undefined) return holdLeaf(statement.leaf, pairs, task)
  const { text } = statement
  if (text.length > 1_000 || DENIES.test(text)) return undefined
  const clauses = text.split(CLAUSES).map((clause) => toTokens(clause).filter((token) => !TELLING.has(token)))
  const found: Pair[] = []
  let last: Pair | undefined
  for (const said of clauses.filter(({ length }) => length >= FEWEST_TOKENS)) {
    const pair = holdingPair(said, pairs, last, clauses.length === 1 ? task : undefined)
    if (pair === undefined) return undefined
    found.push(pair)
    last = pair
  }
  return found.length === 0 ? undefined : found.map(({ call }) => evidenceOf(call))
}

/** The one pair that says all of a clause: label and value, and nothing but where it stands. */
function holdingPair(
  said: readonly string[],
  pairs: readonly Pair[],
  last: Pair | undefined,
  task: ReadonlySet<string> | undefined,
): Pair | undefined {
  const has = new Set(said)
  return pairs.find((pair) => {
    const { label, value, context } = pair
    const own = new Set([...label, ...value])
    if (!value.every((token) => has.has(token))) return false
    const isNamed = label.every((token) => has.has(token))
    // A bare value answers the task that asks for its label.
    const isAsked = task !== undefined && label.every((token) => task.has(token)) && said.every((token) => own.has(token))
    if (!isNamed && !isAsked) return false
    if (!said.every((token) => own.has(token) || context.has(token) || last?.context.has(token))) return false
    const named = new Set([...said, ...(task ?? [])])
    return isOnly(pair, pairs, (token) => named.has(token))
  })
}

/** Whether no other pair of this label, of what is spoken of, has another value. */
function isOnly(pair: Pair, pairs: readonly Pair[], isNamed: (token: string) => boolean): boolean {
  const label = pair.label.join(' ')
  const spoken = [...pair.context].filter(isNamed)
  return pairs.every(
    (other) =>
      other.label.join(' ') !== label ||
      other.value.join(' ') === pair.value.join(' ') ||
      // Another entry is told apart by a word that the clause has of this one alone.
      spoken.some((token) => !other.context.has(token)),
  )
}

function holdLeaf(
  { path, value }: NonNullable<Statement['leaf']>,
  pairs: readonly Pair[],
  task: ReadonlySet<string>,
): Evidence | undefined {
  const label = path.findLast((key) => !/^\d+$/.test(key))
  if (label === undefined || value === null || value === '') return undefined
  const [wanted, said] = [toTokens(label).join(' '), toTokens(String(value)).join(' ')]
  const named = new Set([...path.flatMap(toTokens), ...task])
  const pair = pairs.find(
    (one) =>
      one.label.join(' ') === wanted && one.value.join(' ') === said && isOnly(one, pairs, (token) => named.has(token)),
  )
  return pair === undefined ? undefined : [evidenceOf(pair.call)]
}
