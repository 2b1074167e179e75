import { toStems } from '@svc/core/text'
import { claim, heading, note, type Part } from '../claim.ts'
import { readExcerpt } from '../read/formats.ts'
import { readIntroduction } from '../read/sentences.ts'
import type { Skill } from '../skill.ts'
import { quote } from '../wording.ts'
import { quoteBest } from './summary.ts'

/** A page of the web that the question names. */
export const page: Skill = {
  id: 'page',
  asks: ({ urls }, tools) => urls.length > 0 && tools.get('fetch') !== undefined,
  *work(session): ReturnType<Skill['work']> {
    const tool = session.tools.get('fetch')
    if (!tool) return { parts: [], answered: false }
    const parts: Part[] = []
    const asked = new Set(toStems(session.question.text.replace(/https?:\/\/\S+/g, ' ')))
    for (const url of session.question.urls.slice(0, 3)) {
      const outcome = yield* session.call(tool.id, { [tool.main]: url })
      if (!outcome.ok) continue
      const excerpt = readExcerpt(url, outcome.text)
      excerpt.lines.forEach((text, index) => {
        session.evidence.note(url, excerpt.first + index, text)
      })
      const best = quoteBest([excerpt], asked, 5)
      const shown =
        best.length > 0
          ? best
          : readIntroduction(excerpt, 4).map((sentence) => claim(quote(sentence.text), [sentence.cite]))
      parts.push(
        ...(shown.length > 0
          ? [heading(`From ${url}`), ...shown]
          : [note(`I found no sentence about the question in ${url}.`)]),
      )
    }
    return { parts, answered: true, missing: parts.every((part) => part.kind === 'note') }
  },
}
