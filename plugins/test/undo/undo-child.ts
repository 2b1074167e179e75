/** Undoes a run in a process that may be killed: `undo-child.ts <data folder> <workspace> <run>`. */
import { createUndoable } from './undoable.ts'

const [dir = '', workspace = '', id = ''] = process.argv.slice(2)
const { runtime } = await createUndoable({ workspace, persist: { dir } })
await runtime.runs.undo(id)
await runtime.close()
