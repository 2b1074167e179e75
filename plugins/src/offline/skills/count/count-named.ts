import { isStopWord } from '@svc/core/text'
import { at } from '../../cite.ts'
import { type Look, together } from '../../look.ts'
import { claim, heading, lead } from '../../question/cited-sentence.ts'
import { INHERIT } from '../../question/kind.ts'
import type { Question } from '../../question/question.ts'
import { unique, uniqueBy } from '../../question/question.ts'
import { names, plural, tick } from '../../question/wording.ts'
import type { Excerpt } from '../../read/formats.ts'
import { readDefinition, SOURCES } from '../../read/symbols.ts'
import { asPattern } from '../../read/terms.ts'
import type { Finding, Skill } from '../../skill.ts'
import { lookAtTree } from '../../survey.ts'
import type { ToolSession } from '../../tool-session.ts'
import { findNamed } from '../find-file.ts'
import { lookUp } from '../look-up.ts'

const MOST_LINES = 150
const MOST_PAIRS = 4
const PLACES = /(?<!\p{L})(?:places|times|calls|occurrences|often|mal|stellen|fois|endroits|lines)(?!\p{L})/u

/** Counts and lists what belongs to a name: the classes that extend it, its lines in a file, the entries that it is made of. */
export const countNamed: Skill = {
  id: 'count-named',
  asks: ({ topics, lower }) => (topics.has('count') || INHERIT.test(lower)) && !topics.has('opinion'),
  *work(session) {
    const { identifiers, quoted, paths, lower, rest, topics } = session.question
    yield* lookAtTree(session)
    const [name] = [...identifiers, ...quoted.filter((item) => !/\s/.test(item))]
    const parent = name ?? rest.find((word) => /^[A-Z]/.test(word))
    if (INHERIT.test(lower)) return parent === undefined ? undefined : yield* listHeirs(session, parent)
    if (paths.length > 0) return name !== undefined && PLACES.test(lower) ? yield* countLines(session, name) : undefined
    if (topics.has('file') || topics.has('folder') || topics.has('line')) return undefined
    return yield* countEntries(session, name === undefined ? pairsIn(session.question) : [name])
  },
}

function* listHeirs(session: ToolSession, name: string): Look<Finding | undefined> {
  const found = yield* session.search(`extends ${name}`, { pattern: SOURCES, limit: 60 })
  const spelled = `extends (?:[\\w$]{1,80}\\.)?${asPattern(name)}(?![\\w$])`
  const heirOf = new RegExp(`(?:class ([\\w$]{1,80})(?:<[^{}]{0,200}>)?|([\\w$]{1,80}) = class) ${spelled}`)
  const heirs = (found?.hits ?? []).flatMap((hit) => {
    const [, own, held] = heirOf.exec(hit.text) ?? []
    const heir = own ?? held
    return heir === undefined ? [] : [{ heir, ...hit }]
  })
  const own = uniqueBy(heirs, ({ heir }) => heir.replace(/_+$/, ''))
  if (own.length === 0 || found?.more !== 0) return undefined
  const [first] = own
  return {
    parts: [
      lead(
        `${plural(own.length, 'class')} extend${own.length === 1 ? 's' : ''} ${tick(name)}`,
        first ? [at(first.path, first.line)] : [],
        [own.length],
      ),
      ...own.map(({ path, line, text }) => claim(tick(text, 140), [at(path, line)])),
    ],
    facts: { count: own.length },
  }
}

function* countLines(session: ToolSession, name: string): Look<Finding | undefined> {
  const { files } = yield* findNamed(session)
  const [path] = files
  const found = path === undefined ? undefined : yield* session.search(name, { path, limit: 100 })
  // a definition is no call
  const isCall = /(?<!\p{L})(?:call|aufgerufen|aufruf|appel)\p{L}*/u.test(session.question.lower)
  const hits = (found?.hits ?? []).filter(
    ({ path: own, line, text }) =>
      new RegExp(`(?<![\\w$])${asPattern(name)}${isCall ? '\\(' : '(?![\\w$])'}`).test(text) &&
      !(isCall && (/^(?:\/\/|\*|\/\*)/.test(text) || readDefinition(own, line, `  ${text}`)?.name === name)),
  )
  if (hits.length === 0 || found?.more !== 0) return undefined
  return {
    parts: [
      heading(`${plural(hits.length, 'line')} of ${tick(path ?? '')} with ${tick(name)}`),
      ...hits.slice(0, 20).map((hit) => claim(tick(hit.text, 110), [at(hit.path, hit.line)])),
    ],
    facts: { count: hits.length },
  }
}

/** Names made of two words that follow each other, as `releaseTypes` and `RELEASE_TYPES`, and what is called an option. */
function pairsIn({ text }: Question): string[] {
  const [, option] = /(?<![\p{L}\d_$])([\p{L}\d_$]{1,40})[- ]option(?!\p{L})/u.exec(text) ?? []
  if (option !== undefined) return [option]
  const words = (text.match(/\p{L}+/gu) ?? []).map((word) => word.toLowerCase())
  return words
    .flatMap((word, index) => {
      const next = words[index + 1] ?? ''
      return word.length < 3 || next.length < 3 || isStopWord(word) || isStopWord(next) || word === 'many'
        ? []
        : [`${word} ${next}`]
    })
    .slice(0, MOST_PAIRS)
}

function* countEntries(session: ToolSession, asked: readonly string[]): Look<Finding | undefined> {
  const written = asked.flatMap((name) =>
    name.includes(' ') ? [name.replace(' ', ''), name.replace(' ', '_')] : [name],
  )
  const searches = yield* together(written.map((name) => session.search(name, { pattern: SOURCES, limit: 20 })))
  const spelled = searches.flatMap((some, index) =>
    (some?.hits ?? []).flatMap(
      ({ text }) => new RegExp(`(?<![\\w$.])${asPattern(written[index] ?? '')}(?![\\w$])`, 'i').exec(text)?.[0] ?? [],
    ),
  )
  const known = yield* together(
    unique(spelled)
      .slice(0, 3)
      .map((name) => lookUp(session, name, 'where')),
  )
  const definitions = known
    .flatMap(({ definitions: all }) => all.slice(0, 3))
    // the lines of a function are no entries
    .filter(({ symbol }) => ['constant', 'property', 'enum'].includes(symbol.kind))
    .filter(({ symbol }) => /[[{(]$|[\]}][;,]?$/.test(symbol.text.trimEnd()))
  const excerpts = yield* together(
    definitions.map(({ path, symbol }) => session.read(path, { offset: symbol.line, limit: MOST_LINES })),
  )
  const counted = excerpts.flatMap((excerpt, index) => {
    const entries = excerpt && entriesOf(excerpt)
    return entries === undefined || entries.length < 2 ? [] : [{ entries, definition: definitions[index] }]
  })
  const [first] = counted
  if (!first?.definition || unique(counted.map(({ entries }) => entries.length)).length !== 1) return undefined
  const { path, symbol } = first.definition
  const last = symbol.line + first.entries.lines - 1
  return {
    parts: [
      lead(
        `${tick(symbol.name)} has ${plural(first.entries.length, 'entry')}: ${names(first.entries.labels, 500)}`,
        [at(path, symbol.line, last)],
        [first.entries.length],
      ),
    ],
    facts: { count: first.entries.length },
  }
}

/** The entries between the first bracket of a list or an object and the one that closes it; undefined where none does. */
function entriesOf({ lines }: Excerpt): { length: number; lines: number; labels: string[] } | undefined {
  const text = lines
    .join('\n')
    .replace(/\/\*[^*]{0,500}\*\/|(?<!:)\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '))
  // the type of a constant has brackets too
  const value = /^[^=\n]*(?<![=!<>])=(?![=>])/.exec(text)?.[0].length ?? 0
  const start = value + text.slice(value).search(/[[{]/)
  const entries = ['']
  let depth = 0
  let quote = ''
  for (let index = start; index >= 0 && index < text.length; index++) {
    const sign = text[index] ?? ''
    if (quote !== '') quote = sign === quote && text[index - 1] !== '\\' ? '' : quote
    else if (/["'`]/.test(sign)) quote = sign
    else if (/[[{(]/.test(sign)) depth++
    else if (/[\]})]/.test(sign)) depth--
    if (depth === 0) {
      const own = entries.map((entry) => entry.replace(/^[[{]/, '').trim()).filter((entry) => entry !== '')
      if (own.some((entry) => /^(?:return|if|const|let|var|\.\.\.)/.test(entry))) return undefined
      const labels = own.map((entry) => (/^["'`]?([\w$.@/ -]+)/.exec(entry)?.[1] ?? entry.slice(0, 20)).trim())
      return { length: own.length, lines: text.slice(0, index).split('\n').length, labels }
    }
    if (depth === 1 && quote === '' && /[,;]/.test(sign)) entries.push('')
    else entries.push((entries.pop() ?? '') + sign)
  }
  return undefined
}
