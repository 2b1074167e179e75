import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin } from '../../../src/index.ts'

/** Leaves a note beside the run. */
export default definePlugin('writes-file', ({ hooks }) => {
  hooks.inspect.tapPromise('writes-file', async (answer, { task }) => {
    await writeFile(join(tmpdir(), 'svc-conformance-note'), task.description)
    return answer
  })
})
