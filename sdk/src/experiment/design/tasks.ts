import type { FieldError } from '@svc/core'
import { configError, findUnknown, readRegularFile, throwIfAny, toPointer } from '@svc/core/config'
import { findErrors } from '@svc/core/schema'
import { TaskInput } from './experiment-schema.ts'

/** Tasks may carry long texts. */
const MOST_BYTES = 256 << 20

/**
 * Reads tasks from a JSONL file: one object a line, blank lines are passed over.
 *
 * @throws ConfigError `config_invalid` naming file, line and field
 */
export function readTasks(file: string): TaskInput[] {
  const read = readRegularFile(file, MOST_BYTES)
  if (!('bytes' in read)) throw configError(file, `tasks: ${read.problem}`, undefined, read.cause)
  const tasks: TaskInput[] = []
  for (const [index, line] of read.bytes.toString('utf8').split('\n').entries()) {
    if (line.trim() === '') continue
    tasks.push(checkTask(parseLine(line, index + 1, file), `line ${index + 1}`, file))
  }
  if (tasks.length === 0) throw configError(file, 'holds no task: write one JSON object a line, with id and task')
  return tasks
}

function parseLine(line: string, number: number, file: string): unknown {
  try {
    return JSON.parse(line)
  } catch (thrown) {
    throw configError(file, `line ${number} is not JSON: ${(thrown as Error).message}`, undefined, thrown)
  }
}

/** @throws ConfigError `config_invalid` naming the place and each wrong field */
export function checkTask(value: unknown, place: string, file: string): TaskInput {
  const errors: FieldError[] = []
  const known = findUnknown(TaskInput, value, '', errors)
  errors.push(...findErrors(TaskInput, known))
  throwIfAny(
    errors.map(({ path, message }) => ({ path: `${place}${path === '' ? '' : ` ${path}`}`, message })),
    file,
  )
  return known as TaskInput
}

/**
 * Refuses ids that stand twice, and strata that a task does not have.
 *
 * @throws ConfigError `config_invalid`
 */
export function checkTasks(tasks: readonly TaskInput[], strata: readonly string[] | undefined, file: string): void {
  const errors: FieldError[] = []
  const seen = new Map<string, number>()
  for (const [index, { id, strata: own = {} }] of tasks.entries()) {
    const path = toPointer('/tasks', index)
    const before = seen.get(id)
    // Bundles are files: two ids must differ on a disk that does not tell case apart, too.
    if (before === undefined) seen.set(id, index)
    else
      errors.push({
        path: `${path}/id`,
        message: `"${id}" is the id of task ${before + 1} already: each needs its own`,
      })
    for (const name of strata ?? [])
      if (!Object.hasOwn(own, name))
        errors.push({ path: `${path}/strata`, message: `of task "${id}" lacks "${name}", which /strata names` })
  }
  throwIfAny(errors, file)
}
