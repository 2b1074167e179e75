import type { RuleResult } from '@svc/core/testing'
import type { Io } from '../frame/io.ts'

/** What came of holding one thing against its contract. */
export interface Card {
  kind: 'plugin' | 'provider' | 'tool' | 'agent' | 'store'
  name: string
  /** File, or `built in`. */
  source: string
  conforms: boolean
  rules: readonly RuleResult[]
  durationMs: number
}

/** Runs a check, and collects what became of its rules. */
export async function toCard(
  facts: Pick<Card, 'kind' | 'name' | 'source'>,
  check: (onRule: (result: RuleResult) => void) => Promise<unknown>,
): Promise<Card> {
  const rules: RuleResult[] = []
  const started = performance.now()
  await check((result) => rules.push(result))
  const durationMs = Math.round(performance.now() - started)
  return { ...facts, conforms: rules.every(({ result }) => result !== 'failed'), rules, durationMs }
}

/** A card as text: a line for each rule, what was found below it, and how it ended. */
export function renderCard({ kind, name, source, rules, durationMs, conforms }: Card, paint: Io['paint']): string {
  const isNamed = rules.some(({ rule, says }) => rule !== says)
  const width = isNamed ? Math.max(...rules.map(({ rule }) => rule.length)) : 0
  const below = ' '.repeat(isNamed ? width + 9 : 9)
  const lines = rules.flatMap(({ rule, says, result, findings, why }) => [
    `  ${MARK[result](paint)} ${isNamed ? `${rule.padEnd(width)}  ` : ''}${says}`,
    ...findings.map((finding) => below + finding),
    ...(why === undefined ? [] : [`${below}does not apply: ${why}`]),
  ])
  const count = (wanted: RuleResult['result']): number => rules.filter(({ result }) => result === wanted).length
  const took = `${(durationMs / 1000).toFixed(1)} s`
  const counts = `${count('ok')} ok, ${count('failed')} failed, ${count('not applicable')} not applicable, ${took}`
  const verdict = conforms ? paint.green('conforms') : paint.red('does not conform')
  return [`${kind} ${name} (${source})`, ...lines, `${verdict}: ${counts}`].join('\n')
}

const MARK: Readonly<Record<RuleResult['result'], (paint: Io['paint']) => string>> = {
  ok: (paint) => paint.green('ok  '),
  failed: (paint) => paint.red('fail'),
  'not applicable': () => '-   ',
}
