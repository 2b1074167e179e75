import { signal } from '@preact/signals'
import { readEvents } from '../../session/read-events.ts'
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
  const { threadId } = await runs.get(id, { all: true })
  const [event] = await readEvents(id, 1)
  if (event?.type !== 'run.created') return
  enter(toDraft(id, event.data, threadId))
  hasOptions.value = true
}
