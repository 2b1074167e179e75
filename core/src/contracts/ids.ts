/** What ids look like, as a pattern and in words. */
import * as Type from 'typebox'

/** What the id of an agent profile, provider, plugin, check or detector looks like. */
export const SLUG = /^[a-z][a-z0-9-]{0,63}$/

/** What the id of a tool in a file looks like. */
export const TOOL_SLUG = /^[a-z][a-z0-9_-]{0,63}$/

/** What the name of an MCP server looks like. */
export const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** What an address of a service begins with. */
export const WEB = '^https?://'

/** As `WEB`, where a variable may stand for its beginning. */
export const WEB_OR_VARIABLE = '^(?:https?://|\\$\\{)'

const TASK = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$'
const THREAD = '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'
const ARTIFACT = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'
const SEQ = '^[1-9][0-9]{0,14}$'
const ulidOf = (prefix: string): string => `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`
const CURSOR = `${ulidOf('run').slice(0, -1)}:[0-9]{1,15}$`

const WORDS: ReadonlyMap<string, string> = new Map([
  [SLUG.source, '1 to 64 lower case letters (a-z), digits and `-`, the first a letter'],
  [TOOL_SLUG.source, '1 to 64 lower case letters (a-z), digits, `_` and `-`, the first a letter'],
  [SERVER_NAME.source, '1 to 64 letters (A-Z, a-z), digits, `_` and `-`, the first a letter or a digit'],
  [WEB, 'a URL that begins with http:// or https://'],
  [WEB_OR_VARIABLE, 'a URL that begins with http:// or https://'],
  [THREAD, '1 to 128 letters (A-Z, a-z), digits, `.`, `_`, `:` and `-`, the first a letter or a digit'],
  [TASK, '1 to 100 letters (A-Z, a-z), digits, `_`, `.` and `-`, the first a letter or a digit'],
  [ARTIFACT, '1 to 64 letters (A-Z, a-z), digits, `_` and `-`, the first a letter or a digit'],
  [SEQ, 'the number of an event, from 1 on'],
  [CURSOR, 'the id of a run, `:`, and the number of the last event that is known, 0 for none'],
  ...['run', 'mem', 'apr'].map((prefix) => [ulidOf(prefix), `\`${prefix}_\` and the 26 characters of a ULID`] as const),
])

/** What a text must do to fit a pattern: `be …` in words, where svc has any for it. */
export function mustFit(pattern: string): string {
  const words = WORDS.get(pattern)
  return words === undefined ? `match pattern "${pattern}"` : `be ${words}`
}

const Id = (pattern: string) => Type.String({ pattern, description: WORDS.get(pattern) ?? '' })

/** The id of a thread: svc's own, or one that its maker has chosen. */
export const ThreadId = Id(THREAD)
export const RunId = Id(ulidOf('run'))
export const MemoryId = Id(ulidOf('mem'))
export const ApprovalId = Id(ulidOf('apr'))
/** The id of a task of an experiment. */
export const TaskId = Id(TASK)
export const ArtifactId = Id(ARTIFACT)
/** The number of an event, in a path. */
export const EventSeq = Id(SEQ)
/** A run, and how far a reader of several has read it. */
export const RunCursor = Id(CURSOR)

/** The id of an agent profile, provider or plugin. */
export const Slug = (description: string) => Type.String({ pattern: SLUG.source, description })
