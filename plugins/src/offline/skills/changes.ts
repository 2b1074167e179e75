import { at } from '../cite.ts'
import { claim, heading, type Part } from '../claim.ts'
import type { Look } from '../look.ts'
import { baseName, depthOf } from '../paths.ts'
import type { Excerpt } from '../read/formats.ts'
import { readSections, type Section } from '../read/sections.ts'
import { notFound, type Skill } from '../skill.ts'
import { lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, quote } from '../wording.ts'

const CHANGELOG = /^(?:changelog|changes|history|news|releases?|release[-_]notes)(?:\.(?:md|markdown|rst|txt))?$/i
const VERSION = /\bv?(\d+\.\d+(?:\.\d+)*(?:[-.]?[a-z]+\.?\d*)?)\b/i
/** Lines of a changelog that are read where its newest version is asked for, and around an older one. */
const NEWEST_LINES = 400
const MOST_SHOWN = 24

/** What changed in a version: the last one, or the one that the question names. */
export const changes: Skill = {
  id: 'changes',
  asks: ({ lower }) =>
    (/\b(?:change ?log|release notes?)\b/.test(lower) && !/\b(?:defin|implement|declar)/.test(lower)) ||
    (/\b(?:changed|changes|new|fixed|added|removed|broke|breaking)\b/.test(lower) &&
      /\b(?:version|releases?d?|update)\b|\bsince v?\d|\bin v?\d+\.\d/.test(lower) &&
      !/\bhow (?:do|can|to)\b/.test(lower)),
  *work(session) {
    const tree = yield* lookAtTree(session)
    const path = tree.files
      .map((file) => file.path)
      .filter((other) => CHANGELOG.test(baseName(other)))
      .sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))[0]
    if (path === undefined)
      return notFound(`I found no changelog among ${plural(tree.files.length, 'file')}, so I cannot say what changed.`)
    const asked = VERSION.exec(session.question.text)?.[1]
    const excerpt = yield* asked === undefined
      ? session.read(path, { limit: NEWEST_LINES })
      : readAround(session, path, asked)
    const sections = excerpt ? readSections(excerpt).filter(({ title }) => VERSION.test(title)) : []
    const section = sections.find(({ title }) => asked === undefined || VERSION.exec(title)?.[1] === asked)
    if (!excerpt || !section) {
      const which = asked === undefined ? 'no version' : `no version \`${asked}\``
      return notFound(`I found ${which} among the titles of \`${path}\`.`)
    }
    const next = sections.find(({ from }) => from > section.from)
    const parts = describeChanges(excerpt, section, next?.from ?? section.to + 1)
    const version = VERSION.exec(section.title)?.[1]
    return { parts, facts: { version, changes: parts.slice(1).map(({ text }) => text) }, answered: true }
  },
}

function* readAround(session: ToolSession, path: string, version: string): Look<Excerpt | undefined> {
  const found = yield* session.search(version, { path, limit: 20 })
  const line = found?.hits.find((hit) => VERSION.exec(hit.text)?.[1] === version && hit.text.length < 100)?.line ?? 1
  return yield* session.read(path, { offset: line, limit: NEWEST_LINES })
}

/** The items of a section, and its other lines of prose, each as it is written; the first ones of a long section. */
function describeChanges(excerpt: Excerpt, section: Section, end: number): Part[] {
  const items: { text: string; from: number; to: number }[] = []
  for (let line = section.start; line < end; line++) {
    const text = excerpt.lines[line - excerpt.first]
    if (text === undefined) break
    const plain = text.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim()
    if (!/\w{2}/.test(plain) || /^[=\-~^`]{3,}$|^\.\. |^#/.test(plain)) continue
    const last = items.at(-1)
    const goesOn = last && last.to === line - 1 && /^\s*\S/.test(text) && !/^\s*(?:[-*+]|\d+[.)])\s/.test(text)
    if (last && goesOn) Object.assign(last, { text: `${last.text} ${plain}`, to: line })
    else items.push({ text: plain, from: line, to: line })
  }
  const rest = items.length - MOST_SHOWN
  return [
    heading(
      `${excerpt.path} says of ${section.title}${rest > 0 ? `, the first ${MOST_SHOWN} of ${items.length} entries` : ''}`,
    ),
    ...items.slice(0, MOST_SHOWN).map(({ text, from, to }) => claim(quote(text, 400), [at(excerpt.path, from, to)])),
  ]
}
