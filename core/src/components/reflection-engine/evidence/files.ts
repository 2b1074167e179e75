import type { Call } from '../../../text/calls/call.ts'
import { isSamePath } from '../../../text/calls/paths.ts'

/** What a run knows of a file. Absent content is unknown: it was never shown in full, or a program may have changed it. */
export interface FileState {
  readonly path: string
  before: string | undefined
  after: string | undefined
  /** The successful calls that wrote it. */
  readonly writes: Call[]
}

const LEFT_OUT = /… \d{1,9}\+? more lines/

/** The files that a run read or wrote, with their content before and after all calls: the arguments of the calls replayed. */
export function toFiles(calls: readonly Call[]): FileState[] {
  const files: FileState[] = []
  const at = (path: string): FileState => {
    const known = files.find((file) => isSamePath(file.path, path))
    if (known !== undefined) return known
    const file = { path, before: undefined, after: undefined, writes: [] }
    files.push(file)
    return file
  }
  for (const call of calls) {
    if (!call.succeeded) continue
    if (call.path !== undefined && !call.runs) {
      if (call.acts) write(at(call.path), call)
      else if (showsAll(call)) show(at(call.path), call.text)
    } else if (call.acts)
      for (const file of files) if (call.words.includes(file.path.toLowerCase())) file.after = undefined
  }
  return files
}

const showsAll = ({ printed, lastLine }: Call): boolean =>
  lastLine > 0 && /^\s*1\b/.test(printed) && !LEFT_OUT.test(printed.slice(-200))

function show(file: FileState, text: string): void {
  if (file.writes.length === 0) file.before ??= text
  file.after = text
}

function write(file: FileState, call: Call): void {
  const { content, mode, edits, ...rest } = call.args as { content?: unknown; mode?: unknown; edits?: unknown }
  file.writes.push(call)
  if (typeof content === 'string') {
    if (/^created\b/.test(call.printed)) file.before ??= ''
    if (mode !== 'append') file.after = content
    else if (file.after !== undefined) file.after = `${file.after}\n${content}`
    return
  }
  const steps = (Array.isArray(edits) ? edits : [rest]).map(toEdit)
  for (const step of steps) {
    if (step === undefined || file.after?.includes(step.find) !== true) file.after = undefined
    else file.after = step.all ? file.after.split(step.find).join(step.replace) : replaceFirst(file.after, step)
  }
}

const replaceFirst = (text: string, { find, replace }: Edit): string => {
  const at = text.indexOf(find)
  return text.slice(0, at) + replace + text.slice(at + find.length)
}

interface Edit {
  readonly find: string
  readonly replace: string
  readonly all: boolean
}

function toEdit(edit: unknown): Edit | undefined {
  if (typeof edit !== 'object' || edit === null) return undefined
  const field = (...names: string[]): unknown => Object.entries(edit).find(([name]) => names.includes(name))?.[1]
  const [find, replace] = [
    field('find', 'old', 'old_string', 'old_str'),
    field('replace', 'new', 'new_string', 'new_str'),
  ]
  if (typeof find !== 'string' || typeof replace !== 'string' || find === '') return undefined
  return { find, replace, all: field('all', 'replace_all') === true }
}
