import { at } from '../cite.ts'
import { claim, heading, note, type Part } from '../question/cited-sentence.ts'
import { quote } from '../question/wording.ts'
import { notFound, type Skill } from '../skill.ts'

const MOST_SHOWN = 8
const TO_KEEP = /^\s*(?:please\s+)?remember(?:\s+that)?[\s:,]+([\s\S]+)$/i
const ASKED = /\bwhat (?:do|did) (?:you|we|i) (?:remember|say|tell|decide)\b|\bdo you remember\b|\brecall\b/

/** `Remember that …`, and what was remembered. */
export const memory: Skill = {
  id: 'memory',
  asks: ({ text, lower }, tools) =>
    (TO_KEEP.test(text) && tools.get('remember') !== undefined) ||
    (ASKED.test(lower) && tools.get('recall') !== undefined),
  *work(session) {
    const { question, tools } = session
    const [keep, find] = [tools.get('remember'), tools.get('recall')]
    const told = TO_KEEP.exec(question.text)?.[1]?.trim()
    if (keep && told !== undefined) {
      const kept = yield* session.call(keep.id, { [keep.main]: told })
      return kept.ok ? { parts: [note(`Remembered: ${told}`)] } : notFound('I could not remember this.')
    }
    if (!find) return undefined
    const outcome = yield* session.call(find.id, { [find.main]: question.text })
    const lines = (outcome.ok ? outcome.text.split('\n') : []).map((text, index) => ({ text, line: index + 1 }))
    for (const { text, line } of lines) session.evidence.note(find.id, line, text)
    const said: Part[] = lines
      .filter(({ text }) => text.trim().startsWith('- '))
      .slice(0, MOST_SHOWN)
      .map(({ text, line }) => claim(quote(text.trim().slice(2), 300), [at(find.id, line)]))
    return said.length > 0
      ? { parts: [heading('From memory'), ...said] }
      : notFound('I found nothing in memory about that.')
  },
}
