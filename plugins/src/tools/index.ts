/** The tools that svc brings, and how to make more. */
import type { Tool } from '@svc/core'
import type { Guarded } from './always-ask.ts'
import { askUser } from './ask-user.ts'
import { calculate } from './calculate.ts'
import { createEditFile } from './edit-file.ts'
import { createGitTools } from './git-tools.ts'
import { httpFetch } from './http-fetch.ts'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { createRunCommand, createShell } from './run-command.ts'
import type { ProgramRunner } from './sandbox/program-runner.ts'
import { searchFiles } from './search-files.ts'
import { createWriteFile } from './write-file.ts'

export { askUser } from './ask-user.ts'
export { calculate } from './calculate.ts'
export { type ToToolOptions, toTool } from './from-config.ts'
export { createGlob } from './glob.ts'
export { createGuardedFetch, type GuardedFetchOptions, type Lookup } from './guarded-fetch.ts'
export { httpFetch } from './http-fetch.ts'
export { listFiles } from './list-files.ts'
export { readFile } from './read-file.ts'
export { createRecallTool } from './recall.ts'
export { createRememberTool } from './remember.ts'
export { type Edit, replaceText } from './replace-text.ts'
export { findSandbox, HOW as SANDBOX_FIX, type SandboxChoice } from './sandbox/find-sandbox.ts'
export { ProgramRunner } from './sandbox/program-runner.ts'
export { searchFiles } from './search-files.ts'
export { writeFile } from './write-file.ts'

export interface BuiltinToolOptions {
  readonly guarded: Guarded
  readonly runner: ProgramRunner
  /** Whether `shell` is among them. */
  readonly shell: boolean
  /** Whether the tools for git are. */
  readonly git: boolean
}

/** The tools that need nothing but a workspace and the web, in the order they are shown to a model. */
export function builtinTools({ guarded, runner, shell, git }: BuiltinToolOptions): Tool[] {
  return [
    listFiles,
    readFile,
    searchFiles,
    createEditFile(guarded),
    createWriteFile(guarded),
    calculate,
    httpFetch,
    askUser,
    ...(git ? createGitTools(runner) : []),
    createRunCommand(runner),
    ...(shell ? [createShell(runner)] : []),
  ]
}
