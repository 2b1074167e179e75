/** Tasks of A2A outlive the process that works on them. */

import { Role, TaskState } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { startProcess } from '../fixtures/start-process.ts'

const test = suite('A2A after a crash')

test('a task whose process was killed is there, and is subscribed to until its end', async () => {
  const dir = makeFolder()
  const first = await startProcess(dir, 'hang')
  const before = await new ClientFactory().createFromUrl(first.url)
  const text = { content: { $case: 'text' as const, value: 'What is 6 times 7?' } }
  const made = await before.sendMessage({
    tenant: '',
    message: {
      messageId: 'm-1',
      contextId: 'talk',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ ...text, metadata: undefined, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true },
    metadata: undefined,
  })
  if (!('artifacts' in made)) throw new Error('the answer is no task')
  await first.kill()

  const second = await startProcess(dir, 'serve')
  try {
    const after = await new ClientFactory().createFromUrl(second.url)
    const found = await after.getTask({ tenant: '', id: made.id })
    assert.is(found.contextId, 'talk')
    assert.is(found.history[0]?.messageId, 'm-1')
    const states: TaskState[] = []
    try {
      for await (const { payload } of after.resubscribeTask({ tenant: '', id: made.id }))
        if (payload?.$case === 'statusUpdate' && payload.value.status) states.push(payload.value.status.state)
    } catch (thrown) {
      assert.match(String(thrown), /has ended: get it instead/) // it was sooner
    }
    assert.is(states.at(-1) ?? TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_COMPLETED)
    const ended = await after.getTask({ tenant: '', id: made.id })
    assert.is(ended.status?.state, TaskState.TASK_STATE_COMPLETED)
    const [part] = ended.artifacts[0]?.parts ?? []
    assert.is(part?.content?.$case === 'text' && part.content.value, 'The answer is 42.')
  } finally {
    await second.kill()
  }
})

test.run()
