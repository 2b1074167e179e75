import { at } from '../cite.ts'
import { claim, heading, note } from '../claim.ts'
import type { Skill } from '../skill.ts'
import { quote } from '../wording.ts'

/** What was remembered, and what is to be. */
export const memory: Skill = {
  id: 'memory',
  asks: ({ lower }, tools) =>
    /\b(?:what (?:do|did) (?:you|we|i) (?:remember|know|say|tell|decide)|do you remember|recall|remembered|last time|earlier (?:run|session|conversation)|previous(?:ly)? (?:run|session|decided|said))\b/.test(
      lower,
    ) ||
    (tools.get('remember') !== undefined && /^\s*(?:please )?remember\b/.test(lower)),
  *work(session): ReturnType<Skill['work']> {
    const { question, tools } = session
    const remember = tools.get('remember')
    const told = /^\s*(?:please\s+)?remember(?:\s+that)?[\s:,]+([\s\S]+)$/i.exec(question.text)?.[1]?.trim()
    if (remember && told !== undefined) {
      const outcome = yield* session.call(remember.id, { [remember.main]: told })
      return { parts: outcome.ok ? [note(`Remembered: ${told}`)] : [], answered: true }
    }
    const recall = tools.get('recall')
    if (!recall) {
      const own = session.memories.map((text, index) => ({ text: text.replace(/^-\s*/, ''), line: index + 1 }))
      const said = own.slice(0, 8).map(({ text, line }) => claim(quote(text, 300), [at('memory', line)]))
      return {
        parts: said.length > 0 ? [heading('From memory'), ...said] : [note('I found nothing in memory about that.')],
        answered: true,
        missing: said.length === 0,
      }
    }
    const outcome = yield* session.call(recall.id, { [recall.main]: question.text })
    const lines = outcome.ok ? outcome.text.split('\n') : []
    const hits = lines
      .map((text, index) => ({ text: text.replace(/^-\s*/, '').trim(), line: index + 1, raw: text }))
      .filter(({ raw }) => raw.trim().startsWith('- '))
    for (const { raw, line } of hits) session.evidence.note(recall.id, line, raw)
    const parts = hits.slice(0, 8).map(({ text, line }) => claim(quote(text, 300), [at(recall.id, line)]))
    return {
      parts:
        parts.length > 0
          ? [heading('From memory'), ...parts]
          : outcome.ok
            ? [note('I found nothing in memory about that.')]
            : [],
      answered: true,
      missing: parts.length === 0,
    }
  },
}
