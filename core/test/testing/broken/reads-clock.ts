import { definePlugin } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Says what time it is by the system's clock. */
export default definePlugin('reads-clock', ({ hooks }) => {
  hooks.analyze.tap(
    'reads-clock',
    (answer, { task }) => answer ?? { ...complexityOf(task), explanation: [`answered at ${Date.now()}`] },
  )
})
