/** The tools that svc brings, and how to make more. */
import type { Tool } from '@svc/core'
import { delegateTool } from '@svc/core/components'
import { askUser } from './ask-user.ts'
import { calculate } from './calculate.ts'
import { createEditFile } from './files/edit-file.ts'
import type { EditorFiles } from './files/editor/editor-files.ts'
import { listFiles } from './files/find/list-files.ts'
import { searchFiles } from './files/find/search-files.ts'
import { createReadFile } from './files/read-file.ts'
import { createWriteFile } from './files/write-file.ts'
import { createGitTools } from './git/git-tools.ts'
import type { Guarded } from './programs/always-ask.ts'
import { createRunCommand, createShell } from './programs/run-command.ts'
import type { ProgramRunner } from './sandbox/program-runner.ts'
import { httpFetch } from './web/http-fetch.ts'

export { askUser } from './ask-user.ts'
export { calculate } from './calculate.ts'
export { type ToToolOptions, toTool } from './configured/from-config.ts'
export type { EditorFiles } from './files/editor/editor-files.ts'
export { createGlob } from './files/find/glob.ts'
export { listFiles } from './files/find/list-files.ts'
export { searchFiles } from './files/find/search-files.ts'
export { readFile } from './files/read-file.ts'
export { type Edit, replaceText } from './files/replace-text.ts'
export { writeFile } from './files/write-file.ts'
export { createRecallTool } from './memory/recall.ts'
export { createRememberTool } from './memory/remember.ts'
export { findSandbox, SANDBOX_FIX, type SandboxChoice } from './sandbox/find-sandbox.ts'
export { ProgramRunner } from './sandbox/program-runner.ts'
export { createGuardedFetch, type GuardedFetchOptions, type Lookup } from './web/guarded-fetch.ts'
export { httpFetch } from './web/http-fetch.ts'

export interface BuiltinToolOptions {
  readonly guarded: Guarded
  readonly runner: ProgramRunner
  /** Whether `shell` is among them. */
  readonly shell: boolean
  /** Whether the tools for git are. */
  readonly git: boolean
  /** Folders outside of the workspace that may be read. Default none. */
  readonly readable?: readonly string[]
  /** That text files are read and written in, where it can. Default none: they are on the disk. */
  readonly editor?: EditorFiles | undefined
}

/** The tools that need nothing but a workspace and the web, in the order they are shown to a model. */
export function builtinTools({ guarded, runner, shell, git, readable = [], editor }: BuiltinToolOptions): Tool[] {
  return [
    listFiles,
    createReadFile(readable, editor),
    searchFiles,
    createEditFile(guarded, editor),
    createWriteFile(guarded, editor),
    calculate,
    httpFetch,
    askUser,
    delegateTool,
    ...(git ? createGitTools(runner) : []),
    createRunCommand(runner),
    ...(shell ? [createShell(runner)] : []),
  ]
}
