import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin, textMessage } from '../../../src/index.ts'
import { complexityOf } from './answers.ts'

/** Goes on for a while after its call was aborted. */
export default definePlugin('ignores-abort', ({ hooks }) => {
  hooks.analyze.tapPromise('ignores-abort', async (answer, { task }, run) => {
    if (answer !== undefined) return answer
    const request = { model: '', messages: [textMessage('user', task.description)], stream: false }
    await run.model({ ...request, key: 'ask', agentId: 'ask' }).catch(() => sleep(run.signal.aborted ? 400 : 0))
    return complexityOf(task)
  })
})
