import { note } from '../claim.ts'
import { readExpressions } from '../read/expressions.ts'
import type { Finding, Skill } from '../skill.ts'

/** Arithmetic, as signs or as words; the calculation is shown. */
export const arithmetic: Skill = {
  id: 'arithmetic',
  asks: ({ text }, tools) => tools.get('calculate') !== undefined && readExpressions(text).length > 0,
  *work(session): ReturnType<Skill['work']> {
    const tool = session.tools.get('calculate')
    const expressions = readExpressions(session.question.text)
    if (!tool) return { parts: [], answered: false }
    const parts = []
    const facts: Record<string, unknown> = {}
    for (const expression of expressions.slice(0, 5)) {
      const outcome = yield* session.call(tool.id, { [tool.main]: expression })
      const value = outcome.ok ? (outcome.text.split('=').at(-1)?.trim() ?? '') : ''
      if (!outcome.ok) continue
      parts.push(note(outcome.text.includes('=') ? outcome.text.trim() : `${expression} = ${value}`))
      const number = Number(value.replace(/,/g, ''))
      for (const name of ['result', 'value', 'answer', 'total'])
        facts[name] ??= Number.isFinite(number) ? number : value
    }
    const finding: Finding = { parts, facts, answered: parts.length > 0 }
    return finding
  },
}
