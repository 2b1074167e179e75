/** The tools that svc brings, and how to make more. */
import type { Tool } from '@svc/core'
import { askUser } from './ask-user.ts'
import { calculate } from './calculate.ts'
import { httpFetch } from './http-fetch.ts'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { searchFiles } from './search-files.ts'
import { writeFile } from './write-file.ts'

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
export { searchFiles } from './search-files.ts'
export { writeFile } from './write-file.ts'

/** The tools that need nothing but a workspace and the web, in the order they are shown to a model. */
export function builtinTools(): Tool[] {
  return [listFiles, readFile, searchFiles, writeFile, calculate, httpFetch, askUser]
}
