import { findUnknown, readRegularFile } from '@svc/core/config'
import { findErrors } from '@svc/core/schema'
import { TaskInput } from './experiment-schema.ts'
import type { Faults } from './faults.ts'

/** Tasks may carry long texts. */
const MOST_BYTES = 256 << 20

/** A task, and where it stands: `/tasks/3`, or `tasks.jsonl: line 4`. */
export interface PlacedTask {
  task: TaskInput
  place: string
}

/** Reads tasks from a JSONL file: one object a line, blank lines are passed over. */
export function readTasks(file: string, faults: Faults): PlacedTask[] {
  const read = readRegularFile(file, MOST_BYTES)
  if (!('bytes' in read)) {
    faults.add('/tasks', `${file}: tasks: ${read.problem}`)
    return []
  }
  const lines = read.bytes.toString('utf8').split('\n')
  const given = lines.flatMap((line, index) => {
    const place = `${file}: line ${index + 1}`
    if (line.trim() === '') return []
    try {
      return [{ place, value: JSON.parse(line) as unknown }]
    } catch (thrown) {
      faults.add(place, `is not JSON: ${(thrown as Error).message}`)
      return []
    }
  })
  if (given.length === 0) faults.add('/tasks', `${file} holds no task: write one JSON object a line, with id and task`)
  return given.flatMap(({ value, place }) => checkTask(value, place, faults))
}

/** @returns the task; none where something is wrong with it */
export function checkTask(value: unknown, place: string, faults: Faults): PlacedTask[] {
  const errors: { path: string; message: string }[] = []
  const known = findUnknown(TaskInput, value, '', errors)
  errors.push(...findErrors(TaskInput, known))
  for (const { path, message } of errors)
    faults.add(`${place}${place.startsWith('/tasks/') || path === '' ? '' : ' '}${path}`, message)
  return errors.length === 0 ? [{ task: known as TaskInput, place }] : []
}

/** Finds ids that stand twice, and strata that a task does not have. */
export function checkTasks(tasks: readonly PlacedTask[], strata: readonly string[] | undefined, faults: Faults): void {
  const seen = new Map<string, number>()
  for (const [index, { task, place }] of tasks.entries()) {
    const { id, strata: own = {} } = task
    // Bundles are files: two ids must differ on a disk that does not tell case apart, too.
    const before = seen.get(id.toLowerCase())
    if (before === undefined) seen.set(id.toLowerCase(), index)
    else faults.add(`${place}/id`, `"${id}" is the id of task ${before + 1} already: each needs its own`)
    for (const name of strata ?? [])
      if (!Object.hasOwn(own, name))
        faults.add(`${place}/strata`, `of task "${id}" lacks "${name}", which /strata names`)
  }
}
