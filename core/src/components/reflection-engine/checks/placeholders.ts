import { type Check, excerpt, fail, NOT_APPLICABLE } from '../check.ts'
import { hasAny } from '../material.ts'

const PLACEHOLDERS = [
  /\b(?:TODO|TBD|FIXME|XXX|TKTK)\b/,
  /\blorem ipsum dolor\b/i,
  /\[(?:insert|your|add|fill in|placeholder|name|date|company|link|todo|tbd)\b[^\]\n]{0,80}\]/i,
  /<(?:insert|your|placeholder|todo)[ _-][^>\n]{0,80}>/i,
  /\{\{[^{}\n]{1,80}\}\}/,
  /\(?\b(?:details|content|text|section|rest|remainder) (?:goes here|to be (?:added|filled|written|completed|determined))\b/i,
  /\.\.\. ?\((?:rest|remaining|continue)[^)\n]{0,60}\)/i,
]

/** One of them is in every mark that is not in brackets. */
const MARKS: ReadonlySet<string> = new Set(
  'todo tbd fixme xxx tktk lorem goes rest remaining remainder continue details content text section'.split(' '),
)

/** Nothing was left to fill in later. A clean text is no proof of anything, so it counts as not applicable. */
export const placeholders: Check = {
  id: 'placeholders',
  critical: false,
  strict: true,
  trust: 0.9,
  lesson: { trigger: 'a text to be delivered', cause: '3.1', advice: 'Fill in everything; leave no mark for later.' },
  look(material) {
    if (!material.scan.brackets && !hasAny(material.words, MARKS)) return NOT_APPLICABLE
    const { output, sourceText, task } = material
    if (/\b(?:template|placeholder|boilerplate|skeleton)s?\b/i.test(task.description)) return NOT_APPLICABLE
    for (const pattern of PLACEHOLDERS) {
      const found = pattern.exec(output)?.[0]
      // A mark that the sources hold is reported, not left behind.
      if (found !== undefined && !pattern.test(sourceText)) {
        return fail(`left to fill in: ${excerpt(found)}`, `Replace "${excerpt(found)}" by what belongs there.`)
      }
    }
    return NOT_APPLICABLE
  },
}
