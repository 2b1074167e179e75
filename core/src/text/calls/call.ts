import type { ContentPart } from '../../contracts/model/message.ts'
import { toText } from '../../contracts/model/message-text.ts'
import type { ToolCallView } from '../../contracts/run/call-view.ts'
import { exitCodeOf } from './exit-code.ts'
import { withoutLineNumbers } from './line-numbers.ts'

const LOOKS: ReadonlySet<string> = new Set(
  'get find search list check read view fetch query show describe count grep stat lookup browse download load inspect scan status'.split(
    ' ',
  ),
)
const ACTS: ReadonlySet<string> = new Set(
  'send post put create update delete remove write edit add insert book cancel refund order pay transfer upload submit publish close open reply comment invite notify set run exec execute move rename merge deploy schedule message email mail'.split(
    ' ',
  ),
)
const CHANGES_REMOTELY = /^(?:post|put|patch|delete)$/i
/** A program whose name does not say what it does, where a command begins. */
const OPAQUE =
  /(?:^|[;&|]\s{0,3})(?:sudo )?(?:make|just|task|rake|gradle|mvn|(?:npm|pnpm|yarn|bun) run|bash|sh|zsh|node|deno|python3?|ruby|perl|php|java|\.{1,2}\/\S+)(?=$|\s)/

/** Names of files that only the shell knows. */
const EXPANDS = /[*?]|\$[\w({]|\bxargs\b|\s-exec\b|[{]\w[^}\s]{0,200},/

/** One tool call of a run, with what can be read from it. */
export class Call {
  readonly #view: ToolCallView
  readonly tool: string
  readonly args: unknown
  readonly risk: string
  readonly status: ToolCallView['status']
  readonly seq: number | undefined
  /** `<runId>:<seq>` of the event that ended it. */
  readonly ref: string
  /** Its place among the calls of the run. */
  readonly index: number
  #lines: { text: string; lastLine: number } | undefined
  #value: { value: unknown } | undefined

  constructor(view: ToolCallView, runId: string, index: number) {
    const { tool, args, risk, status, seq } = view
    this.#view = view
    this.tool = tool
    this.args = args
    this.risk = risk
    this.status = status
    this.seq = seq
    this.ref = `${runId}:${seq ?? 0}`
    this.index = index
  }

  /** What it printed, as it stands in the log; the error's message where it failed. */
  get printed(): string {
    const { status, result, error, denied } = this.#view
    return status === 'completed' ? (result ?? '') : (error?.message ?? denied?.reason ?? '')
  }

  /** What it printed as plain text, without line numbers; JSON as lines of `key: value`. */
  get text(): string {
    return this.#read().text
  }

  /** Number of the last line, where it gave numbered lines; else 0. */
  get lastLine(): number {
    return this.#read().lastLine
  }

  /** The result where it is JSON, else its text. */
  get value(): unknown {
    this.#value ??= { value: parseJson(this.printed) }
    return this.#value.value
  }

  /** Exit code of the command, where the result has one. */
  get exitCode(): number | undefined {
    // The status of a request is no exit code.
    const names = this.runs ? ['exitCode', 'exit_code', 'code', 'status'] : ['exitCode', 'exit_code']
    return exitCodeOf(this.printed) ?? names.map((name) => fieldOf(this.value, [name])).find(isExitCode)
  }

  /** Completed, and with an exit code of 0 where there is one. */
  get succeeded(): boolean {
    return this.status === 'completed' && (this.exitCode ?? 0) === 0
  }

  /** Asked for, and refused or ended in an error. */
  get missed(): boolean {
    return (
      this.status === 'failed' ||
      this.status === 'denied' ||
      (this.status === 'completed' && (this.exitCode ?? 0) !== 0)
    )
  }

  /** Name and arguments in lower case, the name in words. */
  get words(): string {
    return `${toNameWords(this.tool).join(' ')} ${toPlainText(this.args)}`.toLowerCase().replaceAll('\n', ' ')
  }

  /** Runs programs. */
  get runs(): boolean {
    return (
      this.risk === 'execute' || /(?:^|[_-])(?:run|exec|execute|shell|bash|command|terminal)(?:$|[_-])/i.test(this.tool)
    )
  }

  /** Whether it can have changed something, inside or outside of the workspace. */
  get acts(): boolean {
    if (this.risk === 'read') return false
    if (this.risk !== 'network') return true
    const method = fieldOf(this.args, ['method'])
    if (typeof method === 'string') return CHANGES_REMOTELY.test(method)
    const words = toNameWords(this.tool)
    return words.some((word) => ACTS.has(word)) || !words.some((word) => LOOKS.has(word))
  }

  /** Writes files and does nothing else. */
  get writesFile(): boolean {
    return this.acts && !this.runs && typeof this.path === 'string'
  }

  /** The one file that it is about, where its arguments name one. */
  get path(): string | undefined {
    const path = fieldOf(this.args, ['path', 'file', 'file_path', 'filePath', 'filename', 'target', 'destination'])
    return typeof path === 'string' ? path : undefined
  }

  /** SHA-256 of what the tool left in the file, where its result says so. */
  get sha256(): string | undefined {
    const hash = fieldOf(this.value, ['sha256', 'hash'])
    return typeof hash === 'string' && /^[0-9a-f]{64}$/i.test(hash) ? hash.toLowerCase() : undefined
  }

  /** The command line, where it runs one. */
  get command(): string {
    const command = fieldOf(this.args, ['command', 'script', 'cmd', 'code'])
    return Array.isArray(command) ? command.join(' ') : typeof command === 'string' ? command : ''
  }

  /** Whether it runs a program that may do anything. */
  get isOpaque(): boolean {
    return this.runs && (OPAQUE.test(this.command) || EXPANDS.test(this.command))
  }

  #read(): { text: string; lastLine: number } {
    this.#lines ??= withoutLineNumbers(toPlainText(this.value))
    return this.#lines
  }
}

/** The object or list of a text that is JSON, else the text. */
export function parseJson(text: string): unknown {
  // What JSON.parse throws costs as much as all else that is done with a sentence.
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The first of these fields that an object has. */
export function fieldOf(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  for (const name of names) if (name in value) return (value as Record<string, unknown>)[name]
  return undefined
}

const isExitCode = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256

/** `slackPostMessage` and `slack_post_message` in words. */
const toNameWords = (tool: string): string[] =>
  tool
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)

/** A tool's arguments or result as text: parts joined, objects as lines of `key: value`. */
export function toPlainText(value: unknown, depth = 0): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.length > 0 && value.every(isPart)) return toText(value)
  if (typeof value === 'object' && 'content' in value && Array.isArray(value.content)) {
    if (value.content.every(isPart)) return toText(value.content)
  }
  if (typeof value !== 'object' || depth > 8) return String(value)
  if (Array.isArray(value)) return value.map((item) => toPlainText(item, depth + 1)).join('\n')
  return Object.entries(value)
    .map(([key, item]) => `${key}: ${toPlainText(item, depth + 1)}`)
    .join('\n')
}

function isPart(value: unknown): value is ContentPart {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    ((value.type === 'text' && 'text' in value && typeof value.text === 'string') ||
      (value.type === 'json' && 'json' in value) ||
      value.type === 'image' ||
      value.type === 'file')
  )
}
