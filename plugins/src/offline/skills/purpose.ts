import { toStems } from '@svc/core/text'
import type { Part } from '../claim.ts'
import { claim, heading, lead, note } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import type { Excerpt } from '../read/formats.ts'
import type { Manifest } from '../read/manifest.ts'
import { readIntroduction, readTitles } from '../read/sentences.ts'
import type { Skill } from '../skill.ts'
import { findReadme, lookAtRoot, readAskedManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, quote, tick, withoutMarkup } from '../wording.ts'
import { explainName } from './symbol.ts'

/** "What is tapable for?": whether it is the package is seen in the manifest. */
const NAMED = /^what(?:'s| is| does) [`"']?([a-z][\w@/.-]*)[`"']?(?: for| about| used for| good for| do)?\s*\??$/i

/** What a package is for: its own description, and how its README begins. */
export const purpose: Skill = {
  id: 'purpose',
  asks: ({ lower, identifiers, paths }) =>
    NAMED.test(lower) ||
    /\b(?:purpose|what is (?:this|it)(?: (?:package|project|library|module|repo(?:sitory)?|tool))?(?: for| about)?\s*\??$|what(?:'s| is) (?:this|the) (?:package|project|library|module|repo(?:sitory)?|tool)\b|what (?:does|do) (?:this|the|it)(?: (?:package|project|library|module|repo(?:sitory)?|tool|code))? do\b|used for|describe (?:this|the) (?:package|project|library|repo(?:sitory)?)|summari[sz]e (?:this|the) (?:package|project|library|repo(?:sitory)?|readme)|introduc)/.test(
      lower,
    ) ||
    (/\bwhat (?:is|does)\b.{0,200}\b(?:package|library|project)\b/.test(lower) &&
      identifiers.length === 0 &&
      paths.length === 0 &&
      !/\b(?:licen|version|depend|export|author|script|entry|name\b)/.test(lower)),
  *work(session) {
    const [manifest, readme] = yield* together([readAskedManifest(session), readReadme(session, 60)])
    const named = NAMED.exec(session.question.text)?.[1]
    if (named !== undefined && !isSelf(named, manifest))
      return /^[\w$.]+$/.test(named) ? yield* explainName(session, named) : { parts: [], answered: false }
    const parts = introduce(manifest, readme, 3)
    const features = readme ? describeSections(readme) : []
    if (parts.length === 0) {
      const root = yield* lookAtRoot(session)
      parts.push(
        note(
          `I found no manifest with a description and no README among the ${plural(root.files.length, 'file')} at the top of the workspace.`,
        ),
      )
    }
    const description = manifest?.fact('description')?.value
    return {
      parts: [...parts, ...features],
      facts: description === undefined ? {} : { description, purpose: description },
      answered: true,
      missing: [...parts, ...features].every((part) => part.kind === 'note'),
    }
  },
}

/** Whether a word of the question is the package itself: its name as people write it, or no name at all. */
const isSelf = (word: string, manifest: Manifest | undefined): boolean => {
  const plain = (text: string): string => text.toLowerCase().replace(/^@[^/]*\/|[-_.]/g, '')
  return /^(?:it|this|that)$/i.test(word) || plain(word) === plain(manifest?.fact('name')?.value ?? '')
}

/** What a package without a description is. */
function sayKind(manifest: Manifest): string {
  const members = manifest.group('workspaces').map((member) => tick(member.name))
  const isPrivate = manifest.fact('private')?.value === 'true'
  if (members.length > 0) return `a ${isPrivate ? 'private ' : ''}workspace of ${members.join(', ')}`
  return isPrivate ? 'a private package' : 'the package here'
}

/** The README of the workspace, its first lines. */
function* readReadme(session: ToolSession, limit: number): Look<Excerpt | undefined> {
  const path = findReadme(yield* lookAtRoot(session))
  return path === undefined ? undefined : yield* session.read(path, { limit })
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s/

/** Name, version, licence and description, and the README's first sentences where they say more. */
export function introduce(
  manifest: Manifest | undefined,
  readme: Excerpt | undefined,
  sentences: number,
  say: (text: string) => string = quote,
): Part[] {
  const parts: Part[] = []
  const name = manifest?.fact('name')
  const description = manifest?.fact('description')
  if (manifest && name) {
    const version = manifest.fact('version')
    const license = manifest.fact('license')
    const aside = [version && `version ${tick(version.value)}`, license && `licence ${tick(license.value)}`]
      .filter(Boolean)
      .join(', ')
    const cites = [...name.cites, ...(version?.cites ?? []), ...(description?.cites ?? []), ...(license?.cites ?? [])]
    const what = description ? `: ${quote(description.value)}` : ` is ${sayKind(manifest)}`
    parts.push(
      lead(
        `${tick(name.value)}${aside === '' ? '' : ` (${aside})`}${what}`,
        description
          ? cites
          : [
              ...cites,
              ...(manifest.fact('private')?.cites ?? []),
              ...manifest.group('workspaces').flatMap((member) => member.cites),
            ],
      ),
    )
  } else if (description) parts.push(lead(quote(description.value), description.cites))
  if (readme) {
    const known = [...new Set(toStems(description?.value ?? ''))]
    for (const sentence of readIntroduction(readme, sentences)) {
      // what a list says is a feature, where a description says what it is
      if (known.length > 0 && ITEM.test(readme.lines[sentence.from - readme.first] ?? '')) continue
      const said = new Set(toStems(withoutMarkup(sentence.text)))
      if (
        known.length > 0 &&
        known.filter((stem) => said.has(stem)).length > 0.75 * Math.max(known.length, said.size - 2)
      )
        continue
      parts.push(lead(say(sentence.text), [sentence.cite]))
    }
  }
  return parts
}

/** The sections of a README, so that the reader knows where to go on. */
function describeSections(readme: Excerpt): Part[] {
  const titles = readTitles(readme)
    .filter(({ level }) => level === 2)
    .slice(0, 8)
  if (titles.length < 2) return []
  return [
    heading('The README goes on with'),
    ...titles.map(({ title, line }) => claim(quote(title), [{ path: readme.path, from: line }])),
  ]
}
