import { signal } from '@preact/signals'
import { RequestKeys } from '../../session/request-keys.ts'
import { runtime } from '../../session/session.ts'
import { type Draft, EMPTY_DRAFT, type Field, type Problems, toDraft } from './draft.ts'

/** What was entered stays while one looks at other views. */
export const draft = signal<Draft>(EMPTY_DRAFT)
export const problems = signal<Problems>({})
export const isBoxOpen = signal(false)
/** A second click, or one after it failed, makes no second run. */
export const runKeys = new RequestKeys()

/** Enters something; what was wrong with it is no longer said, and the box stays open whatever the list does. */
export function enter(changes: Partial<Draft>): void {
  draft.value = { ...draft.value, ...changes }
  isBoxOpen.value = true
  const { other: _, ...left } = problems.value
  for (const field of Object.keys(changes) as Field[]) delete left[field]
  problems.value = left
}

/** Whether the options beside the task are shown. */
export const hasOptions = signal(false)

/** Opens the box with all that an earlier run was asked for. */
export async function runAgain(id: string): Promise<void> {
  const { runs } = runtime.peek()
  const reach = { all: true }
  const { threadId } = await runs.get(id, reach)
  const stop = new AbortController()
  for await (const event of runs.events(id, { ...reach, deltas: false, signal: stop.signal })) {
    if (event.type !== 'run.created') continue
    enter(toDraft(id, event.data, threadId))
    hasOptions.value = true
    break
  }
  stop.abort()
}
