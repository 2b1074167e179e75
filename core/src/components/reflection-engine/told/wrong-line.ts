import type { Call } from '../../../text/calls/call.ts'

/** `file:12`, "line 12", and how other languages say it. */
const AT_LINE =
  /(?<![\w@./-])([\w@./-]{1,200}\.\w{1,8}):(\d{1,6})\b|\b(?:lines?|zeilen?|lignes?)\s*(\d{1,6})\b|(\d{1,6})\s*行目|\b(?:l\.|L)(\d{1,6})\b/giu
/** What is written like code, in backticks or not. */
const CODE = /`([^`\n]{2,80})`|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w+|[A-Z]{2,}_[A-Z_]+)\b/g

export interface WrongLine {
  readonly sentence: string
  readonly name: string
  /** Where it stands. */
  readonly lines: readonly number[]
  readonly call: Call
}

/** Longer sentences, and mentions beyond these, are not looked at. */
const MAX_SENTENCE = 2_000
const MAX_MENTIONS = 100

/** Names of code that are said to stand in a line, while what was shown has them in others only. Knows no language. */
export function findWrongLines(sentences: readonly string[], calls: readonly Call[]): WrongLine[] {
  const mentions: Mention[] = []
  for (const sentence of sentences) {
    if (mentions.length >= MAX_MENTIONS) break
    if (sentence.length <= MAX_SENTENCE) mentions.push(...toMentions(sentence))
  }
  if (mentions.length === 0) return []
  const shown = calls.filter(({ status }) => status === 'completed').map((call) => ({ call, lines: numbered(call) }))
  return mentions.slice(0, MAX_MENTIONS).flatMap(({ sentence, name, file, line }): WrongLine[] => {
    const own = shown.filter(({ call, lines }) => file === undefined || isOf(call, lines, file))
    const places = own.flatMap(({ lines }) => lines.filter(({ content }) => content.includes(name)))
    if (places.length === 0 || places.some(({ number }) => number === line)) return []
    const proof = own.find(
      ({ call, lines }) =>
        lines.some(({ content }) => content.includes(name)) &&
        (lines.some(({ number }) => number === line) || isSearch(call, name)),
    )
    const numbers = [...new Set(places.map(({ number }) => number))].slice(0, 5)
    return proof === undefined ? [] : [{ sentence, name, lines: numbers, call: proof.call }]
  })
}

interface Mention {
  sentence: string
  name: string
  file: string | undefined
  line: number
}

/** Between two mentions of lines there is nothing else: they belong together. */
const NEXT = /^(?:[\s,;()]|and\b|und\b|et\b)*$/

/** Up to a comma that more than a few words follow: what they say need not be of the name before it. */
const OTHER_CLAUSE = /^.*[,;](?=(?:\s+[^\s,;]+){4})/s

/** Mentions of one line that speak of one name. Ranges, and several lines for one thing, are no such. */
function toMentions(sentence: string): Mention[] {
  const found = [...sentence.matchAll(AT_LINE)].map((match) => ({ match, end: match.index + match[0].length }))
  return found.flatMap(({ match, end }, at): Mention[] => {
    const before = sentence.slice(found[at - 1]?.end ?? 0, match.index)
    const after = sentence.slice(end, found[at + 1]?.match.index)
    if (/^\s?[-–]\s?\d/.test(after)) return []
    if ((at > 0 && NEXT.test(before)) || (at + 1 < found.length && NEXT.test(after))) return []
    const names = namesIn(before.replace(OTHER_CLAUSE, ' '))
    const [name, second] = names.length > 0 ? names : namesIn(after.split(/[,;.]\s/)[0] ?? '')
    const line = Number(match[2] ?? match[3] ?? match[4] ?? match[5])
    return name === undefined || second !== undefined ? [] : [{ sentence, name, file: match[1], line }]
  })
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(CODE)]
    .map(([, quoted, bare]) => (quoted ?? bare ?? '').replace(/\(\)$/, ''))
    .filter((name) => !/[./]\w{1,5}(?::\d+)?$/.test(name) && !/^[\d:]/.test(name))

const isSearch = ({ args, command }: Call, name: string): boolean => {
  const query = (args as { query?: unknown } | null)?.query
  return (
    (typeof query === 'string' && (query.includes(name) || name.includes(query))) ||
    (/\bgrep\b/.test(command) && command.includes(name))
  )
}

const isOf = (call: Call, lines: readonly Shown[], file: string): boolean =>
  (call.path !== undefined && (call.path.endsWith(file) || file.endsWith(call.path))) ||
  lines.some(({ path }) => path?.endsWith(file)) ||
  call.command.includes(file)

interface Shown {
  path: string | undefined
  number: number
  content: string
}

/** The lines that a call showed with their numbers. */
function numbered({ printed, value }: Call): Shown[] {
  const stdout = (value as { stdout?: unknown } | null)?.stdout
  return (typeof stdout === 'string' ? stdout : printed).split('\n').flatMap((line) => {
    const found = /^(?:([\w@./-]+):)?\s*(\d{1,7})(?:\t|:\s?)(.*)$/.exec(line)
    return found === null ? [] : [{ path: found[1], number: Number(found[2]), content: found[3] ?? '' }]
  })
}
