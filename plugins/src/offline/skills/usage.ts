import { at } from '../cite.ts'
import type { Part } from '../claim.ts'
import { claim, heading, lead, note } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, FILE_ENDING } from '../paths.ts'
import type { Question } from '../question.ts'
import { unique } from '../question.ts'
import type { Hit, Hits } from '../read/formats.ts'
import { packageOf, readImport } from '../read/imports.ts'
import { isSourcePath } from '../read/symbols.ts'
import { type Finding, notFound, type Skill } from '../skill.ts'
import { lookAtRoot } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, tick } from '../wording.ts'
import { holdsWord, searchEverywhere } from './find-definitions.ts'

const IMPORTS = /\b(?:imports?|imported|importing|requires?|required|depends? on)\b/

/** Which files import, use or mention a name. */
export const usage: Skill = {
  id: 'usage',
  asks: (question) =>
    subjectsOf(question).length > 0 &&
    (/\b(?:which|what|list|find|show|how many) (?:all )?(?:of )?(?:the )?(?:other )?(?:source )?(?:files?|modules?|places|lines?|tests?|code|folders?)\b.{0,30}\b(?:imports?|uses?|using|calls?|requires?|mentions?|references?|contains?|depends? on|import|holds?)\b/.test(
      question.lower,
    ) ||
      /\bwho (?:imports|uses|calls|requires)\b|\bwhere (?:is|are|does|do|all is)\b.{0,200}\b(?:used|imported|mentioned|called|referenced|required|occur|appear)\b|\b(?:usages?|mentions|occurrences|callers|references) (?:of|to)\b|\bis .{0,200} (?:used|imported|mentioned) (?:anywhere|somewhere)\b|\bsearch (?:for|the .{0,200} for)\b|\bgrep\b|\bhow (?:many times|often) (?:is|does|do|are)\b/.test(
        question.lower,
      )),
  *work(session) {
    const subjects = subjectsOf(session.question).slice(0, 3)
    const findings = yield* together(subjects.map((subject) => findUses(session, subject)))
    return {
      parts: findings.flatMap((finding) => finding.parts),
      facts: Object.assign({}, ...findings.map((finding) => finding.facts ?? {})),
      answered: true,
      missing: findings.every((finding) => finding.missing === true),
    }
  },
}

/** What is looked for: quoted words, names in code, packages, else the word after the verb. */
function subjectsOf(question: Question): string[] {
  const named = unique([
    ...question.quoted,
    ...question.identifiers.filter((name) => !question.quoted.some((item) => item.includes(name))),
  ])
  const packages: readonly string[] = question.text.match(/(?<![\w/])@[\w-]+\/[\w.-]+|\bnode:[a-z_/]+/g) ?? []
  const files = question.paths.filter(
    (path) => !path.endsWith('/') && !packages.includes(path) && !question.quoted.some((item) => item.includes(path)),
  )
  const subjects = unique([
    ...packages,
    ...named.filter((name) => !packages.some((item) => item.includes(name))),
    ...files,
  ])
  if (subjects.length > 0) return subjects
  const match =
    /\b(?:imports?|uses?|calls?|requires?|mentions?|mentioning|references?|containing|contains?|usages? of|occurrences of|callers of|search for|grep|how (?:many times|often) (?:is|does|do)|where (?:is|are))\s+(?:the\s+)?(?:word\s+|package\s+|module\s+|text\s+)?([\w$@./-]{2,})/i.exec(
      question.text,
    )
  const word = match?.[1]?.replace(/(?<![.?!,])[.?!,]+$/, '')
  return word === undefined || /^(?:the|this|it|that|from|in|all|any)$/i.test(word) ? [] : [word]
}

function* findUses(session: ToolSession, subject: string): Look<Finding> {
  const isFile = FILE_ENDING.test(subject) && !/\s/.test(subject)
  const query = isFile ? baseName(subject).replace(/\.\w+$/, '') : subject
  const onlyImports = IMPORTS.test(session.question.lower)
  const keep = (hit: Hit): boolean =>
    ((onlyImports || isFile) && importsIt(hit, query, isFile)) ||
    (!onlyImports && holds(hit.text, isFile ? baseName(subject) : subject))
  const first = yield* searchEverywhere(session, query, 120, keep)
  const found = first && first.more > 0 && onlyImports && !isFile ? yield* searchImports(session, query) : first
  if (!found)
    return {
      ...notFound(`I cannot search for \`${subject}\`: no tool that searches files gave a result.`),
    }
  // a package of that name is meant before files and names that are called alike
  const isPackage = onlyImports && !isFile && found.hits.some((hit) => importsPackage(hit, query))
  const hits = found.hits.filter(
    (hit) =>
      (isPackage ? isCode(hit) && (importsPackage(hit, query) || bindsName(hit, query)) : keep(hit)) &&
      !(isFile && baseName(hit.path).startsWith(`${query}.`)),
  )
  const isExact = (hit: Hit): boolean => readImport(hit.path, hit.text) === query
  const files = unique([...hits.filter(isExact), ...hits].map((hit) => hit.path))
  const verb = onlyImports ? 'import' : 'mention'
  if (hits.length === 0) {
    const root = yield* lookAtRoot(session)
    const others =
      found.hits.length > 0
        ? `; ${plural(found.hits.length, 'line')} hold${found.hits.length === 1 ? 's' : ''} the text in another way`
        : ''
    return {
      parts: [
        note(
          `I found no file that ${verb}s \`${subject}\`: I searched ${session.lookedEverywhere ? 'every text file' : 'only a part of the files'} of the workspace, which has ${plural(root.files.length, 'file')} and ${plural(root.folders.length, 'folder')} at its top${others}.`,
        ),
      ],
      facts: { files: [], count: 0 },
      answered: true,
      // what was not searched may hold it
      missing: !session.lookedEverywhere,
    }
  }
  const isCut = found.more > 0 || !session.lookedEverywhere
  const shown = files.slice(0, 25)
  const total = `${isCut ? 'At least ' : ''}${plural(files.length, 'file')} ${verb}${files.length === 1 ? 's' : ''} ${tick(subject)}${onlyImports ? '' : `, on ${plural(hits.length, 'line')}`}`
  const parts: Part[] = [
    lead(
      `${total}${shown.length < files.length ? '; the first ones' : ''}:`,
      files.map((path) => at(path, hits.find((hit) => hit.path === path)?.line ?? 1)).slice(0, 40),
      [files.length, hits.length, subject],
    ),
    ...shown.map((path) =>
      describeFile(
        path,
        hits.filter((hit) => hit.path === path),
      ),
    ),
  ]
  return { parts: [heading(total), ...parts.slice(1)], facts: { files, count: hits.length }, answered: true }
}

/** The ways to import a package, for a word that many other lines hold. */
function* searchImports(session: ToolSession, name: string): Look<Hits> {
  const ways = ['from', 'import', 'require('].flatMap((word) =>
    [`'`, '"'].map((mark) => `${word}${word.endsWith('(') ? '' : ' '}${mark}${name}`),
  )
  const found = yield* together(
    [...ways, `import ${name}`, `from ${name} `].map((way) => session.search(way, { limit: 300 })),
  )
  const hits = found.flatMap((one) => one?.hits ?? [])
  return {
    hits: hits.filter(
      ({ path, line }, index) => hits.findIndex((one) => one.path === path && one.line === line) === index,
    ),
    more: found.reduce((sum, one) => sum + (one?.more ?? 0), 0),
  }
}

function describeFile(path: string, hits: readonly Hit[]): Part {
  const first = hits[0]
  const cites = hits.slice(0, 8).map((hit) => at(hit.path, hit.line))
  return claim(`${tick(path)}: ${tick(first?.text ?? '', 130)}`, cites)
}

const holds = (text: string, query: string): boolean =>
  /^[\w$.]+$/.test(query)
    ? holdsWord(text.toLowerCase(), query.toLowerCase())
    : text.toLowerCase().includes(query.toLowerCase())

/** A line of a source file that is no comment. */
const isCode = ({ path, text }: Hit): boolean => isSourcePath(path) && !/^\s*(?:\*|\/\/|\/\*|#)/.test(text)

/** Whether a line imports something of exactly that name, from wherever. */
function bindsName(hit: Hit, name: string): boolean {
  const bound =
    /^\s*import\b([^'"]*)\bfrom\b/.exec(hit.text)?.[1] ?? /\bimport\s+(\S[\s\S]*)$/.exec(hit.text)?.[1] ?? ''
  return bound.split(/[^\w$]+/).includes(name)
}

function importsPackage(hit: Hit, query: string): boolean {
  const specifier = readImport(hit.path, hit.text)
  return (
    specifier !== undefined &&
    (specifier === query || packageOf(specifier) === query || specifier.split('.')[0] === query)
  )
}

/** Whether a line imports a package, a file, or a name. */
function importsIt(hit: Hit, query: string, isFile: boolean): boolean {
  const specifier = readImport(hit.path, hit.text)
  if (specifier === undefined)
    return (
      isCode(hit) &&
      /^\s*(?:import|from)\b|^\s*export\b.*\bfrom\b|\brequire\(/.test(hit.text) &&
      holdsWord(hit.text, query) &&
      !/^\s*export\s+(?:const|function|class|interface|type)\b/.test(hit.text)
    )
  if (isFile) return baseName(specifier).replace(/\.\w+$/, '') === query || specifier.split('.').at(-1) === query
  return (
    specifier === query ||
    packageOf(specifier) === query ||
    specifier.split('.')[0] === query ||
    baseName(specifier).replace(/\.\w+$/, '') === query ||
    holdsWord(hit.text, query)
  )
}
