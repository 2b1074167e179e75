import { resolve } from 'node:path'
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { toShownText } from '@svc/core/client'
import type { Edit } from '@svc/plugins'
import { describeCall } from '../../progress/call-line.ts'
import { oneLine } from '../../render/one-line.ts'

/** A call of a tool as an editor shows it. */
export interface EditorCall {
  title: string
  kind: ToolKind
  locations?: ToolCallLocation[]
  /** What it changes in files. */
  content?: ToolCallContent[]
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  skill: 'read',
  git_status: 'read',
  git_diff: 'read',
  git_log: 'read',
  recall: 'search',
  list_files: 'search',
  search_files: 'search',
  edit_file: 'edit',
  write_file: 'edit',
  http_fetch: 'fetch',
  run_command: 'execute',
  shell: 'execute',
  calculate: 'think',
  delegate: 'think',
}
const VERBS: Readonly<Record<string, string>> = {
  read_file: 'Read',
  list_files: 'List',
  edit_file: 'Edit',
  write_file: 'Write',
}
const MOST_TITLE_CHARS = 200

/** What the display of a call depends on beside the call itself. */
export interface EditorCallOptions {
  /** That paths of calls start at. */
  workspace: string
  /** Takes secrets out of a text. */
  redact(text: string): string
}

/**
 * A call of a tool as an editor is to show it.
 *
 * @param call its arguments as the model gave them, unchecked
 * @param before what a file holds that is to be written; null: it is missing, undefined: nobody knows
 */
export function toEditorCall(
  { tool, args }: { tool: string; args: unknown },
  options: EditorCallOptions,
  before: string | null | undefined,
): EditorCall {
  const given: Readonly<Record<string, unknown>> = typeof args === 'object' && args !== null ? { ...args } : {}
  const { path, offset } = given
  const kind = KINDS[tool] ?? 'other'
  const title = titleOf(tool, given, options)
  if (typeof path !== 'string' || path === '' || path.includes('\0')) return { title, kind }
  const absolute = resolve(options.workspace, path)
  const line = tool === 'read_file' && typeof offset === 'number' && Number.isInteger(offset) ? { line: offset } : {}
  const content = diffsOf(tool, given, absolute, before)
  return { title, kind, locations: [{ path: absolute, ...line }], ...(content.length > 0 && { content }) }
}

function titleOf(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  options: Pick<EditorCallOptions, 'redact'>,
): string {
  const { path, query, url, question } = args
  const line = (text: string): string => oneLine(toShownText(options.redact(text)), MOST_TITLE_CHARS)
  const verb = VERBS[tool]
  if (verb !== undefined) return line(`${verb} ${typeof path === 'string' ? path : '.'}`)
  if (tool === 'search_files') return line(`Search ${JSON.stringify(query)}`)
  if (tool === 'http_fetch') return line(`Fetch ${url}`)
  if (tool === 'ask_user') return line(`Ask: ${question}`)
  const text = describeCall({ tool, args }, options)
  return oneLine(KINDS[tool] === 'execute' ? `\`${text}\`` : text, MOST_TITLE_CHARS)
}

function diffsOf(
  tool: string,
  { edits, content, mode }: Readonly<Record<string, unknown>>,
  path: string,
  before: string | null | undefined,
): ToolCallContent[] {
  if (tool === 'edit_file' && Array.isArray(edits))
    return edits.flatMap((edit: Partial<Edit> | null): ToolCallContent[] =>
      typeof edit?.find === 'string' && typeof edit.replace === 'string'
        ? [{ type: 'diff', path, oldText: edit.find, newText: edit.replace }]
        : [],
    )
  if (tool !== 'write_file' || typeof content !== 'string' || before === undefined) return []
  return [{ type: 'diff', path, oldText: before, newText: mode === 'append' ? (before ?? '') + content : content }]
}
