/** Why a run was ended is kept, whichever way a client reaches its runtime. */
import { definePlugin, type ExecutionResult, type Plugin } from '@svc/core'
import type { Script } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TRANSPORTS, type Transport, thrown } from './fixtures/transports.ts'

const acts: Script = () => ({ toolCalls: [{ tool: 'act', args: {} }] })

/** A tool that ends when its call is ended, and what ended it. */
function patientTool(onStart: () => void): { plugin: Plugin; reasons: unknown[] } {
  const reasons: unknown[] = []
  const plugin = definePlugin('patience', ({ tools }) =>
    tools.add('act', {
      id: 'act',
      description: 'waits',
      parameters: { type: 'object', properties: {} },
      risk: 'read',
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason)
            reject(signal.reason)
          })
          onStart()
        }),
    }),
  )()
  return { plugin, reasons }
}

function casesOver({ name, connect }: Transport) {
  const test = suite(`abort reasons, ${name}`)

  for (const [what, reason, said] of [
    ['an error', new Error('the page was closed'), 'aborted by the caller: the page was closed'],
    ['a text', 'the page was closed', 'aborted by the caller: the page was closed'],
    ['nothing', undefined, 'aborted by the caller'],
  ] as const) {
    test(`${what} as the reason reaches the result, the tool and the rejection`, async () => {
      for (const throwOnFailure of [false, true]) {
        const controller = new AbortController()
        const { plugin, reasons } = patientTool(() => controller.abort(reason))
        const { client, close } = await connect(acts, { plugins: [plugin] })
        const running = client.run('Act.', { topology: 'SINGLE', signal: controller.signal, throwOnFailure })
        if (throwOnFailure) {
          const error = await thrown(() => running)
          assert.equal([error.code, error.message], ['cancelled', said])
          assert.is(error.cause, controller.signal.reason)
        } else {
          const { status, error } = await running
          assert.equal([status, error?.code, error?.message], ['cancelled', 'cancelled', said])
        }
        assert.is((reasons[0] as Error).message, said)
        if (name === 'embedded') assert.is((reasons[0] as Error).cause, controller.signal.reason)
        await close()
      }
    })
  }

  test('the reason of runs.cancel is that of the result', async () => {
    let started: () => void = () => {}
    const isStarted = new Promise<void>((resolve) => (started = resolve))
    const { plugin, reasons } = patientTool(() => started())
    const { client, close } = await connect(acts, { plugins: [plugin] })
    const { run, done } = await client.runs.start({ task: 'Act.', topology: 'SINGLE' })
    await isStarted
    await client.runs.cancel(run.id, 'another one was faster')
    const { error } = (await done).result as ExecutionResult
    assert.equal([error?.code, error?.message], ['cancelled', 'another one was faster'])
    assert.is((reasons[0] as Error).message, 'another one was faster')
    await close()
  })

  return test
}

for (const transport of TRANSPORTS) casesOver(transport).run()
