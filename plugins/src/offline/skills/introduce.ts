import { toStems } from '@svc/core/text'
import { type CitedSentence, lead, type Part } from '../question/cited-sentence.ts'
import { names, quote, tick, withoutMarkup } from '../question/wording.ts'
import type { Excerpt } from '../read/formats.ts'
import type { Manifest, NamedFact } from '../read/manifest.ts'
import { readIntroduction } from '../read/sentences.ts'

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s/

/** Name, version, licence and description, and the README's first sentences where they say more. */
export function introduce(
  manifest: Manifest | undefined,
  readme: Excerpt | undefined,
  sentences: number,
  say: (text: string) => string = quote,
  isWhole = false,
): Part[] {
  const description = manifest?.fact('description')
  const known = [...new Set(toStems(description?.value ?? ''))]
  const saysMore = ({ text, from }: { text: string; from: number }): boolean => {
    if (known.length === 0 || isWhole) return true
    // what a list says is a feature, where a description says what it is
    if (ITEM.test(readme?.lines[from - readme.first] ?? '')) return false
    const said = new Set(toStems(withoutMarkup(text)))
    return known.filter((stem) => said.has(stem)).length <= 0.75 * Math.max(known.length, said.size - 2)
  }
  const told = readme ? readIntroduction(readme, sentences).filter(saysMore) : []
  return [...(manifest ? nameIt(manifest) : []), ...told.map(({ text, cite }) => lead(say(text), [cite]))]
}

function nameIt(manifest: Manifest): Part[] {
  const [name, version, license, description] = ['name', 'version', 'license', 'description'].map((field) =>
    manifest.fact(field),
  )
  if (!name) return description ? [lead(quote(description.value), description.cites)] : []
  const aside = [version && `version ${tick(version.value)}`, license && `licence ${tick(license.value)}`].filter(
    Boolean,
  )
  const members = manifest.group('workspaces')
  const isPrivate = manifest.fact('private')
  const kind = isPrivate?.value === 'true' ? 'private ' : ''
  const what = description
    ? `: ${quote(description.value)}`
    : members.length > 0
      ? ` is a ${kind}workspace of ${members.map((member) => tick(member.name)).join(', ')}`
      : ` is ${kind === '' ? 'the package here' : 'a private package'}`
  const shown = [name, version, license, ...(description ? [description] : [isPrivate, ...members])]
  return [
    lead(
      `${tick(name.value)}${aside.length === 0 ? '' : ` (${aside.join(', ')})`}${what}`,
      shown.flatMap((fact) => fact?.cites ?? []),
    ),
  ]
}

/** The names of several things on one line of so many characters; no line where there are none. */
export function listNames(title: string, items: readonly Omit<NamedFact, 'value'>[], width = 80): CitedSentence[] {
  const named = items.map(({ name }) => name)
  const cites = items.flatMap((item) => item.cites)
  return named.length === 0 ? [] : [lead(`${title} ${names(named, width)}`, cites)]
}
