import { exitCodeOf, type ToolCallView } from '@svc/core/client'
import { oneLine, plural } from '../../parts/format.ts'

const MOST = 120

/** The words for calls of a tool: what was done, what is being done, to what, and to how many of them. */
interface Words {
  did: string
  does: string
  /** Name of one of what it is done to, as it is counted. */
  noun: string
  what: (args: Readonly<Record<string, unknown>>) => string
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const path = (args: Readonly<Record<string, unknown>>): string => text(args.path)

const WORDS: Readonly<Record<string, Words>> = {
  read_file: { did: 'Read', does: 'Reading', noun: 'file', what: path },
  write_file: { did: 'Wrote', does: 'Writing', noun: 'file', what: path },
  edit_file: { did: 'Edited', does: 'Editing', noun: 'file', what: path },
  list_files: { did: 'Listed', does: 'Listing', noun: 'folder', what: (args) => path(args) || 'the folder' },
  search_files: { did: 'Searched', does: 'Searching', noun: 'time', what: ({ query }) => `for “${text(query)}”` },
  run_command: {
    did: 'Ran',
    does: 'Running',
    noun: 'program',
    what: ({ command }) => (Array.isArray(command) ? command.join(' ') : text(command)),
  },
  shell: { did: 'Ran', does: 'Running', noun: 'script', what: ({ script }) => text(script) },
  http_fetch: { did: 'Fetched', does: 'Fetching', noun: 'page', what: ({ url }) => text(url) },
  calculate: { did: 'Calculated', does: 'Calculating', noun: 'value', what: ({ expression }) => text(expression) },
  skill: { did: 'Read', does: 'Reading', noun: 'skill', what: ({ name }) => `the skill ${text(name)}` },
  recall: { did: 'Searched', does: 'Searching', noun: 'memory', what: () => 'its memory' },
  remember: { did: 'Remembered', does: 'Remembering', noun: 'thing', what: ({ content }) => text(content) },
  ask_user: { did: 'Asked', does: 'Asking', noun: 'question', what: () => 'you' },
}

/** What calls of one tool did, in a few words: `Read README.md`, `Read 3 files`, `Ran npm test · exit 1`. */
export function tellCalls(calls: readonly ToolCallView[], isAtWork: boolean): string {
  const [first] = calls
  if (first === undefined) return ''
  const words = Object.hasOwn(WORDS, first.tool) ? WORDS[first.tool] : undefined
  const count = calls.length
  if (words === undefined)
    return `${isAtWork ? 'Calling' : 'Called'} ${first.tool}${count === 1 ? '' : `, ${plural(count, 'time')}`}`
  const verb = isAtWork ? words.does : words.did
  if (count > 1) return `${verb} ${plural(count, words.noun)}`
  const args = typeof first.args === 'object' && first.args !== null ? (first.args as Record<string, unknown>) : {}
  const said = words.what(args)
  const code = exitCodeOf(first.result)
  return `${oneLine(`${verb} ${said === '' ? plural(1, words.noun) : said}`, MOST)}${code === undefined ? '' : ` · exit ${code}`}`
}
