import { at } from '../cite.ts'
import { claim, heading, type Part } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, depthOf } from '../paths.ts'
import { type Excerpt, numbered } from '../read/formats.ts'
import { notFound, type Skill } from '../skill.ts'
import { findReadme, lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, quote } from '../wording.ts'

const LICENCE_FILE = /^(?:licen[cs]e|copying|copyright|notice)(?:[.-]+\w+)*$/i
const DATED = /\bcopyright\b[^.;]{0,80}?(?:\(c\)|©|\d{4})|^\W{0,8}(?:\(c\)|©)\s*\d{4}/i
const NAMED = /^\W{0,8}Copyright:? (?:by )?\p{Lu}\p{L}/u
const GENERAL =
  /\bcopyright (?:holders?|owners?|notice|law|license|statement|interest|and|or|in|is|the|disclaimer)\b|\[(?:yyyy|year|name)|<(?:year|name)|\{yyyy/i
const LICENCE_LINES = 400

/** Whether a line names a holder, by the mark, a year or a name, and does not speak of copyright in general. */
const namesHolder = ({ text }: { text: string }): boolean =>
  text.length < 400 && (DATED.test(text) || NAMED.test(text)) && !GENERAL.test(text)

/** Who holds the copyright: the lines of the licence files that name somebody, else those of the README or the code. */
export const copyright: Skill = {
  id: 'copyright',
  asks: ({ lower }) => /\bcopyright|\b(?:rights|licen[cs]e) holder\b|\bwho (?:owns|holds the rights)/.test(lower),
  *work(session) {
    const tree = yield* lookAtTree(session)
    const paths = tree.files.map((file) => file.path)
    const licences = paths.filter((path) => LICENCE_FILE.test(baseName(path)) && depthOf(path) <= 2).slice(0, 4)
    const inLicence = yield* readHolders(session, licences)
    const readme = findReadme(tree)
    const found = inLicence.length > 0 ? inLicence : yield* readHolders(session, readme === undefined ? [] : [readme])
    const parts = found.length > 0 ? found : yield* searchHolders(session)
    if (parts.length > 0) return { parts: [heading('The copyright lines are'), ...parts.slice(0, 12)], answered: true }
    const where = licences.length > 0 ? `${licences.map((path) => `\`${path}\``).join(', ')} and in ` : ''
    return notFound(
      `I found no line that names a copyright holder: I looked in ${where}${plural(paths.length, 'file')}.`,
    )
  },
}

function* readHolders(session: ToolSession, paths: readonly string[]): Look<Part[]> {
  const excerpts = yield* together(paths.map((path) => session.read(path, { limit: LICENCE_LINES })))
  return excerpts.flatMap((excerpt) => (excerpt ? holdersOf(excerpt) : []))
}

const holdersOf = (excerpt: Excerpt): Part[] =>
  numbered(excerpt)
    .filter(namesHolder)
    .map(({ line, text }) => claim(quote(text), [at(excerpt.path, line)]))

function* searchHolders(session: ToolSession): Look<Part[]> {
  const found = yield* session.search('copyright', { limit: 60 })
  return (found?.hits ?? [])
    .filter(namesHolder)
    .slice(0, 5)
    .map(({ path, line, text }) => claim(quote(text), [at(path, line)]))
}
