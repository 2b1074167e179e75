import type { Claim } from '../../../contracts/stages/claim.ts'
import { isSamePath, toPath } from '../../../text/calls/paths.ts'
import { excerpt } from '../../../text/index.ts'
import { type Check, type Finding, fail, type Holding, NOT_APPLICABLE, PASSES, type Rule } from '../check.ts'
import type { Material } from '../material.ts'
import { isContent, MAX_STATEMENTS, type Statement, statementsOf } from '../statements/to-statements.ts'
import { toTelling } from '../told/language.ts'
import { arithmetic } from './arithmetic.ts'
import { deeds, missedCalls } from './deeds.ts'
import { lines } from './lines.ts'
import { numbers } from './numbers.ts'
import { quotes } from './quotes.ts'
import { tests } from './tests.ts'
import { values } from './values.ts'

/** What was found of a statement; without a holding the evidence decides nothing. Unseen: not all rules have looked at it. */
export type JudgedStatement = { statement: Statement; rule?: string; holding?: Holding; isUnseen?: boolean }

/** The ways to hold a statement against the evidence, in the order of their report; what a failure teaches and advises. */
const RULES: Readonly<Record<string, readonly [hold: Rule, trigger: string, cause: string, advice: string]>> = {
  arithmetic: [arithmetic, 'a task that needs arithmetic', '3.3', 'Let the calculator work it out and copy it.'],
  tests: [tests, 'a claim that tests pass', '3.2', 'Run them after the last change and report what they printed.'],
  'action-claims': [deeds, 'an answer that reports work', '2.6', 'Do it with a tool before saying that it is done.'],
  'missed-calls': [missedCalls, 'an answer that reports work', '2.6', 'Report what was denied or failed as that.'],
  values: [values, 'an answer with values that tools returned', '3.3', 'Copy every value from the line of its label.'],
  numbers: [numbers, 'an answer with numbers that tools returned', '3.3', 'Copy every number from what has it.'],
  quotes: [quotes, 'an answer that quotes its sources', '3.3', 'Quote only words and addresses that were read.'],
  citations: [lines, 'an answer that points to lines of files', '3.3', 'Copy file and line from what a tool showed.'],
}
/** What they find is decided by a calculation or by exit codes: no reader overrules it. */
const FIRM: ReadonlySet<string> = new Set(['arithmetic', 'tests'])
/** What comes later in a very long answer stays open. */
const MAX_JUDGED = 2_000
const LONGEST_CLAIM = 200
/** Claims beyond are left out; those that are false, then those that are open, first come in. */
const MAX_CLAIMS = 200
const ORDER = ['contradicted', 'unsupported', 'supported']

/** Everything that the answer says, held against the evidence by each rule: one contradiction counts more than any support. */
export const judgeStatements = (material: Material): Promise<readonly JudgedStatement[]> =>
  material.once('judged', async () => {
    const judged: JudgedStatement[] = []
    for (const [index, statement] of statementsOf(material).entries()) {
      const { unlooked } = material
      const one = index < MAX_JUDGED ? await judge(statement, material) : { statement }
      judged.push({ ...one, isUnseen: index >= MAX_JUDGED || material.unlooked > unlooked })
    }
    return judged
  })

async function judge(statement: Statement, material: Material): Promise<JudgedStatement> {
  let held: JudgedStatement = { statement }
  for (const [id, [hold]] of Object.entries(RULES)) {
    const found = hold(statement, material)
    const holding = found instanceof Promise ? await found : found
    if (holding?.verdict === 'contradicted') return { statement, rule: id, holding }
    if (holding !== undefined && held.holding === undefined && isPlain(statement, holding))
      held = { statement, rule: id, holding }
  }
  return held
}

/** Whether nothing that stands over a statement says of what it is but the file that shows it. */
const isPlain = ({ under }: Statement, { evidence }: Holding): boolean =>
  toTelling(under)
    .map(toPath)
    .every((named) => named !== undefined && evidence.some(({ path }) => path && isSamePath(path, named)))

/** What the answer says, each with its verdict, in the order of the text. */
export function toClaims(judged: readonly JudgedStatement[]): Claim[] {
  const claims = judged.map(({ statement, holding }): Claim => {
    const { verdict = 'unsupported', evidence = [], why } = holding ?? {}
    const kind = isContent(statement) ? 'quote' : (holding?.kind ?? 'other')
    const text = excerpt(statement.text, LONGEST_CLAIM)
    return { text, kind, verdict, ...(why !== undefined && { why: excerpt(why, LONGEST_CLAIM) }), evidence }
  })
  const unseen = judged.filter(({ isUnseen, holding }) => isUnseen && holding === undefined).length
  const ranked = [...claims].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))
  const kept = new Set(ranked.slice(0, MAX_CLAIMS - Math.min(1, unseen)))
  const told = claims.filter((claim) => kept.has(claim))
  if (unseen === 0) return told
  const text = `${unseen} statements${judged.length >= MAX_STATEMENTS ? ' and more' : ''} of this long answer were not held against every rule`
  return [...told, { text, kind: 'other', verdict: 'unsupported', evidence: [] }]
}

/** Whether no reader overrules what a check or rule has found: what words mean, which some go by, it may know better. */
export const isFirm = (id = ''): boolean => !(id in RULES) || FIRM.has(id)

/** What a rule finds in all statements: it fails where it contradicts one. */
export function findOf(id: string, judged: readonly JudgedStatement[]): Finding {
  const found = judged.filter(({ rule }) => rule === id)
  const wrong = found.filter(({ holding }) => holding?.verdict === 'contradicted')
  if (wrong.length === 0) return found.length === 0 ? NOT_APPLICABLE : PASSES
  const told = wrong
    .slice(0, 3)
    .map(({ statement: { text }, holding }) => `"${excerpt(text, 160)}"${holding?.why ? `, but ${holding.why}` : ''}`)
  const isNew = wrong.some(({ holding }) => holding?.isNew !== false)
  return { ...fail(told.join('; '), RULES[id]?.[3] ?? ''), isNew }
}

export const RULE_CHECKS: readonly Check[] = Object.entries(RULES).map(([id, [, trigger, cause, advice]]) => ({
  id,
  critical: true,
  trust: 0.9,
  lesson: { trigger, cause, advice },
  look: async (material) => findOf(id, await judgeStatements(material)),
}))
