import type { PolicyRule } from '../../../contracts/policy-rule.ts'
import type { Approval, Decision } from '../../../contracts/run/approval.ts'
import { ValidationError } from '../../../errors.ts'

/**
 * The rule that an answer gives beyond its call.
 *
 * @returns undefined for an answer to the call, or to all equal calls of its run
 * @throws ValidationError `validation_failed` where it gives what the question does not offer
 */
export function grantOf({ offers = [], rulesFile }: Approval, answer: Decision): PolicyRule | undefined {
  const { decision, remember = 'once', scope = 'call' } = answer
  const isScoped = answer.scope !== undefined
  if (decision !== 'approve' && (isScoped || remember === 'always')) {
    const field = isScoped ? 'scope' : 'remember'
    throw wrong(field, `goes with the decision approve alone, not with ${decision}: leave it out`)
  }
  if (remember === 'once') {
    if (isScoped) throw wrong('scope', 'says what remember is about: set remember to run or always, or leave scope out')
    return undefined
  }
  const rule = offers.find((offer) => offer.scope === scope)?.rule
  const lifetimes = remember === 'run' ? ['call'] : []
  const offered = [...lifetimes, ...offers.map((offer) => offer.scope)].join(', ') || 'none'
  if (remember === 'always' && rulesFile === undefined && offers.length > 0)
    throw wrong('remember', 'cannot be always here: there is no config that a rule can be written to. Use once or run')
  if (rule === undefined && (remember === 'always' || scope !== 'call'))
    throw wrong('scope', `is ${scope}, and this approval offers for remember ${remember}: ${offered}`)
  return rule
}

function wrong(field: 'remember' | 'scope', what: string): ValidationError {
  const message = `decision: /${field} ${what}`
  return new ValidationError('validation_failed', message, { errors: [{ path: `/${field}`, message: what }] })
}
