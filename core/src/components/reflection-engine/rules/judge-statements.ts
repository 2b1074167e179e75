import type { Claim } from '../../../contracts/stages/claim.ts'
import { type Check, excerpt, type Finding, fail, NOT_APPLICABLE, pass } from '../check.ts'
import type { Material } from '../material.ts'
import { MAX_STATEMENTS, type Statement, statementsOf } from '../statements/to-statements.ts'
import { RULES } from './index.ts'
import type { Holding, Rule } from './rule.ts'

/** A statement of an answer with what was found of it. */
export interface JudgedStatement {
  readonly statement: Statement
  readonly rule?: string
  /** Absent: the evidence decides nothing. */
  readonly holding?: Holding
  /** The answer is so long that not all rules have looked at it. */
  readonly isUnseen?: boolean
}

/** What comes later in a very long answer stays open. */
const MAX_JUDGED = 2_000
/** Longer statements are cut in claims. */
const LONGEST_TEXT = 200
/** Claims beyond are left out; those that are false, then those that are open, first come in. */
const MAX_CLAIMS = 200

/** Everything that the answer says, held against the evidence by each rule: one contradiction counts more than any support. */
export const judgeStatements = (material: Material): Promise<readonly JudgedStatement[]> =>
  material.once('judged', () => judgeAll(statementsOf(material), material))

async function judgeAll(statements: readonly Statement[], material: Material): Promise<JudgedStatement[]> {
  const judged: JudgedStatement[] = []
  for (const [index, statement] of statements.entries()) {
    const { unlooked } = material
    const one = index < MAX_JUDGED ? await judge(statement, material) : { statement }
    judged.push({ ...one, isUnseen: index >= MAX_JUDGED || material.unlooked > unlooked })
  }
  return judged
}

async function judge(statement: Statement, material: Material): Promise<JudgedStatement> {
  let held: JudgedStatement = { statement }
  for (const rule of RULES) {
    const holding = await rule.hold(statement, material)
    if (holding === undefined) continue
    const judged = { statement, rule: rule.id, holding }
    if (holding.verdict === 'contradicted') return judged
    if (held.holding === undefined) held = judged
  }
  return held
}

/** What the answer says, each with its verdict, in the order of the text. */
export function toClaims(judged: readonly JudgedStatement[]): Claim[] {
  const claims = judged.map(
    ({ statement: { text }, holding }): Claim => ({
      text: excerpt(text, LONGEST_TEXT),
      kind: holding?.kind ?? 'other',
      verdict: holding?.verdict ?? 'unsupported',
      ...(holding?.verdict === 'contradicted' &&
        holding.why !== undefined && { why: excerpt(holding.why, LONGEST_TEXT) }),
      evidence: holding?.evidence ?? [],
    }),
  )
  const unseen = judged.filter(({ isUnseen, holding }) => isUnseen && holding === undefined).length
  const more = unseen === 0 ? [] : [toUnseen(unseen, judged.length >= MAX_STATEMENTS)]
  const most = MAX_CLAIMS - more.length
  if (claims.length <= most) return [...claims, ...more]
  const order = ['contradicted', 'unsupported', 'supported']
  const kept = new Set([...claims].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict)).slice(0, most))
  return [...claims.filter((claim) => kept.has(claim)), ...more]
}

const toUnseen = (count: number, isCut: boolean): Claim => ({
  text: `${count} statements${isCut ? ' and more' : ''} of this long answer were not held against every rule`,
  kind: 'other',
  verdict: 'unsupported',
  evidence: [],
})

/** Whether a statement is refuted by a rule on what its words mean, which a reader may know better. */
export const isDisputable = ({ rule, holding }: JudgedStatement): boolean =>
  holding?.verdict === 'contradicted' && RULES.some(({ id, isFirm }) => id === rule && !isFirm)

/** A rule as a check: it fails where it contradicts a statement. */
export interface RuleCheck extends Check {
  readonly isFirm: boolean
  find(judged: readonly JudgedStatement[]): Finding
}

export const isRuleCheck = (check: Check): check is RuleCheck => 'isFirm' in check

export const toCheck = ({ id, lesson, isFirm = false }: Rule): RuleCheck => ({
  id,
  critical: true,
  trust: 0.9,
  lesson,
  isFirm,
  find(judged) {
    const found = judged.filter(({ rule }) => rule === id)
    const wrong = found.filter(({ holding }) => holding?.verdict === 'contradicted')
    if (wrong.length === 0) return found.length === 0 ? NOT_APPLICABLE : pass()
    const told = wrong
      .slice(0, 3)
      .map(({ statement: { text }, holding }) => `"${excerpt(text, 160)}"${holding?.why ? `, but ${holding.why}` : ''}`)
    return { ...fail(told.join('; '), lesson.advice), isNew: wrong.some(({ holding }) => holding?.isNew !== false) }
  },
  async look(material) {
    return this.find(await judgeStatements(material))
  },
})
