import { toStems } from '@svc/core/text'
import { baseName, depthOf, folderOf } from '../paths.ts'
import type { Question } from '../question.ts'
import type { Listing } from './formats.ts'
import { isTestPath } from './symbols.ts'

const DOCUMENT = /\.(?:md|markdown|mdx|rst|adoc|txt)$/i
/** What says nothing about the use of a package. */
const OTHER =
  /^(?:licen[cs]e|copying|notice|changelog|changes|history|news|releas|contribut|code[-_]of|security|authors|credits|requirements|governance)/i

/** The documents of a workspace that say how it is used: the README first, then what lies in folders for documents. */
export function findDocuments(tree: Listing): string[] {
  const weight = (path: string): number =>
    (/^readme/i.test(baseName(path)) ? 0 : /(?:^|\/)docs?\//.test(path) ? 10 : 5) + depthOf(path)
  return tree.files
    .map(({ path }) => path)
    .filter((path) => DOCUMENT.test(path) || /^readme$/i.test(baseName(path)))
    .filter((path) => !OTHER.test(baseName(path)) && !isTestPath(path) && !/(?:^|\/)\./.test(folderOf(path)))
    .sort((a, b) => weight(a) - weight(b) || (a < b ? -1 : 1))
}

/** Words with which help is asked for: they say nothing about what it is about. */
const ASKING = new Set(
  toStems(
    'use using used usage user work works working example examples show tell explain describe call calls make makes write writing get getting want know need help way docs doc documentation readme document documented say says please possible code file files package library project module repo repository function method class do does done mean means happen best simple quick support supports supported',
  ),
)

/** Stems of what the question is about. */
export const subjectOf = ({ stems }: Question): ReadonlySet<string> =>
  new Set([...stems].filter((stem) => !ASKING.has(stem)))
