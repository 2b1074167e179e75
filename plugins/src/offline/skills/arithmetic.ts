import { note } from '../claim.ts'
import { together } from '../look.ts'
import { readExpressions } from '../read/expressions.ts'
import { notFound, type Skill } from '../skill.ts'

/** Arithmetic, as signs or as words; the calculation is shown. */
export const arithmetic: Skill = {
  id: 'arithmetic',
  asks: ({ text }, tools) => tools.get('calculate') !== undefined && readExpressions(text).length > 0,
  *work(session): ReturnType<Skill['work']> {
    const tool = session.tools.get('calculate')
    if (!tool) return { parts: [], answered: false }
    const expressions = readExpressions(session.question.text)
    const outcomes = yield* together(expressions.map((each) => session.call(tool.id, { [tool.main]: each })))
    const open = expressions.filter((_, index) => outcomes[index]?.ok === false)
    if (open.length === expressions.length) return notFound(`I could not work out ${open.join(', ')}.`)
    const facts: Record<string, unknown> = {}
    const parts = outcomes.flatMap((outcome, index) => {
      if (!outcome.ok) return []
      const value = outcome.text.split('=').at(-1)?.trim() ?? ''
      const number = Number(value.replace(/,/g, ''))
      for (const name of ['result', 'value', 'answer', 'total'])
        facts[name] ??= Number.isFinite(number) ? number : value
      return [note(outcome.text.includes('=') ? outcome.text.trim() : `${expressions[index]} = ${value}`)]
    })
    return { parts, facts, answered: true, open }
  },
}
